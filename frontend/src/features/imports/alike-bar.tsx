import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import type { Alike } from './use-corrections';

interface AlikeBarProps {
  alike: Alike;
  heading: string;
  onApply: () => Promise<void>;
}

/** Offers to apply a correction to all cells with the same invalid value. */
export function AlikeBar({ alike, heading, onApply }: AlikeBarProps) {
  const { t } = useTranslation('imports');
  const { count, find } = alike;
  const shown = formatCount(count);
  const text = find === '' ? 'correct.alike.empty' : 'correct.alike.text';
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line bg-info-soft px-4 py-2 text-sm">
      <span role="status" className="wrap-anywhere">
        {t(text, { count, shown, heading, value: find })}
      </span>
      <Button onClick={() => void onApply()}>{t('correct.alike.apply', { count, shown })}</Button>
    </div>
  );
}
