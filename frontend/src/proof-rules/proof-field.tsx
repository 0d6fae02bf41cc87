import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox } from '@/ui/checkbox';
import { FieldGroup } from '@/ui/field-group';
import { RadioCard } from '@/ui/radio-card';
import { type ProofChoice, type ProofMode, PROOFS } from './proofs';

interface ProofFieldProps {
  value: ProofChoice;
  onChange: (value: ProofChoice) => void;
  /** Says whose word counts when nothing is chosen here. */
  inheritedLabel: string;
  error?: string | undefined;
  /** What a form focuses when the choice is wrong. */
  ref?: Ref<{ focus: () => void }>;
}

const MODES: readonly ProofMode[] = ['inherited', 'chosen', 'nothing'];

/** What has to prove an outcome: as somebody else says, a set of one's own, or nothing. */
export function ProofField({ value, onChange, inheritedLabel, error, ref }: ProofFieldProps) {
  const { t } = useTranslation('proof-rules');
  const name = useId();
  const box = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => ({
    focus: () => box.current?.querySelector<HTMLInputElement>('input:checked')?.focus(),
  }));

  function toggle(proof: string) {
    const { proofs } = value;
    onChange({
      mode: 'chosen',
      proofs: proofs.includes(proof) ? proofs.filter((own) => own !== proof) : [...proofs, proof],
    });
  }

  return (
    <FieldGroup legend={t('title')} hint={t('hint')} error={error}>
      <div ref={box}>
        <div className="flex flex-col gap-2">
          {MODES.map((mode) => (
            <RadioCard
              key={mode}
              name={name}
              className="flex-none!"
              checked={value.mode === mode}
              label={mode === 'inherited' ? inheritedLabel : t(`modes.${mode}`)}
              onChange={() => onChange({ ...value, mode })}
            />
          ))}
        </div>
        {value.mode === 'chosen' && (
          <fieldset className="mt-2 ml-8 grid gap-x-4 sm:grid-cols-2">
            <legend className="sr-only">{t('modes.chosen')}</legend>
            {PROOFS.map((proof) => (
              <Checkbox
                key={proof}
                id={`${name}-${proof}`}
                label={t(`proofs.${proof}`)}
                checked={value.proofs.includes(proof)}
                className="min-h-7 items-center pointer-coarse:min-h-11"
                onChange={() => toggle(proof)}
              />
            ))}
          </fieldset>
        )}
      </div>
    </FieldGroup>
  );
}
