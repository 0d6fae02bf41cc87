import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Switch } from '@/ui/switch';
import { type Part, PARTS } from '../parts';

interface IncludeSwitchesProps {
  without: readonly Part[];
  onChange: (without: readonly Part[]) => void;
}

/** What the paper shows, on screen, printed and as PDF. */
export function IncludeSwitches({ without, onChange }: IncludeSwitchesProps) {
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
            checked={!without.includes(part)}
            onChange={() =>
              onChange(PARTS.filter((it) => without.includes(it) !== (it === part)))
            }
            className="h-9 flex-row-reverse justify-between pointer-coarse:h-11"
          />
        ))}
      </div>
      <p className="mt-1 text-xs text-muted">{t('include.hint')}</p>
    </section>
  );
}
