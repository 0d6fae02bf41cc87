import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PAPERS, type Paper } from '../paper';

interface PaperSwitchProps {
  paper: Paper;
  onChange: (paper: Paper) => void;
}

/** A4 or Letter. */
export function PaperSwitch({ paper, onChange }: PaperSwitchProps) {
  const { t } = useTranslation('forms');
  const name = useId();
  return (
    <fieldset className="flex h-8 shrink-0 rounded-control bg-hover p-0.5 pointer-coarse:h-11">
      <legend className="sr-only">{t('paper.title')}</legend>
      {PAPERS.map((size) => (
        <label
          key={size}
          className="flex cursor-pointer items-center rounded-box px-3 text-sm font-medium text-muted transition-colors duration-120 ease-out hover:text-fg has-checked:bg-surface has-checked:text-fg has-checked:shadow-float has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            checked={paper === size}
            onChange={() => onChange(size)}
            className="sr-only"
          />
          {t(`paper.${size}`)}
        </label>
      ))}
    </fieldset>
  );
}
