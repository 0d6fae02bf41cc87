import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';

interface PaperFactProps {
  label: string;
  /** Nothing, null and empty text show as None. */
  value: ReactNode;
  strong?: boolean;
  wide?: boolean;
}

export function PaperFact({ label, value, strong = false, wide = false }: PaperFactProps) {
  const { t } = useTranslation('common');
  const isMissing = value === null || value === undefined || value === '' || value === false;
  return (
    <div className={cn('min-w-0', wide && 'col-span-2')}>
      <dt className="text-caps text-muted">{label}</dt>
      <dd className={cn('mt-0.5 text-sm wrap-anywhere', strong && 'font-semibold')}>
        {isMissing ? <span className="text-muted">{t('none')}</span> : value}
      </dd>
    </div>
  );
}
