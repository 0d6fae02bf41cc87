import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormField } from '@/form/define-form';
import { ruleMessage } from '@/form/rule-message';
import { type TextKey, useNameOf } from '@/i18n/texts';
import { Checkbox } from '@/ui/checkbox';
import { FieldGroup } from '@/ui/field';
import { RadioCard } from '@/ui/radio-card';
import { Tag } from '@/ui/tag';
import {
  type ProofChoice,
  type ProofMode,
  PROOFS,
  type ProofSet,
  toProofChoice,
  toProofSet,
} from './proofs';

interface ProofFieldProps {
  value: ProofChoice;
  onChange: (value: ProofChoice) => void;
  /** Label of the choice to inherit the requirement. */
  inheritedLabel: string;
  error?: string | undefined;
  /** Gets the focus if the field is invalid. */
  ref?: Ref<{ focus: () => void }>;
}

const MODES: readonly ProofMode[] = ['inherited', 'chosen', 'nothing'];

/** Selects the required proof: inherited, custom, or none. */
function ProofField({ value, onChange, inheritedLabel, error, ref }: ProofFieldProps) {
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
          <fieldset className="mt-2 ms-8 grid gap-x-4 sm:grid-cols-2">
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

interface ProofTagsProps {
  proofs: ProofSet;
  inheritedLabel: string;
}

/** Labels of required proofs. */
export function ProofTags({ proofs, inheritedLabel }: ProofTagsProps) {
  const { t } = useTranslation('proof-rules');
  const nameOf = useNameOf();
  if (proofs === null) return <span className="text-muted">{inheritedLabel}</span>;
  if (proofs.length === 0) return t('modes.nothing');
  return (
    <span className="inline-flex flex-wrap gap-1">
      {proofs.map((proof) => (
        <Tag key={proof}>{nameOf('proof-rules:proofs', proof)}</Tag>
      ))}
    </span>
  );
}

/** Declares a form field for required proof. `inherited` labels the choice to inherit it. */
export function proofRequirement(
  inherited: TextKey,
): FormField<ProofChoice, ProofSet, string[] | null> & { label: TextKey } {
  return {
    label: 'proof-rules:title',
    empty: toProofChoice(null),
    rules: (t) => ({
      validate: {
        validate: ({ mode, proofs }) =>
          mode !== 'chosen' || proofs.length > 0 || t('proof-rules:chooseOne'),
      },
    }),
    fill: toProofChoice,
    send: toProofSet,
    draw: ({ value, onChange, ref, label, error }, { t }) => (
      <ProofField
        ref={ref}
        value={value}
        onChange={onChange}
        inheritedLabel={t(inherited)}
        error={ruleMessage(label, error)}
      />
    ),
  };
}
