import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Switch } from '@/ui/switch';
import { type Included, PARTS } from '../include';

interface IncludeSwitchesProps {
  included: Included;
  onChange: (included: Included) => void;
}

/** What the print shows; the PDF has always all of it. */
export function IncludeSwitches({ included, onChange }: IncludeSwitchesProps) {
  const { t } = useTranslation('forms');
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line p-4">
      <h3 id={id} className="mb-2 text-base font-semibold">
        {t('include.title')}
      </h3>
      <div className="flex flex-col">
        {PARTS.map((part) => (
          <Switch
            key={part}
            label={t(`include.${part}`)}
            checked={included[part]}
            onChange={() => onChange({ ...included, [part]: !included[part] })}
            className="h-9 flex-row-reverse justify-between pointer-coarse:h-11"
          />
        ))}
      </div>
      <p className="mt-1 text-xs text-muted">{t('include.hint')}</p>
    </section>
  );
}
