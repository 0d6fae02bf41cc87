import { type FieldError, type UseFormReturn, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CheckboxField } from '@/form/checkbox-field';
import { limits } from '@/form/limits';
import { ruleMessage } from '@/form/rule-message';
import { TextField } from '@/form/text-field';
import { ProofField } from '@/proof-rules/proof-field';
import type { SourceValues } from '../source-values';

/** The labels of the fields in their order on screen. */
export function useSourceLabels() {
  const { t } = useTranslation(['sources', 'proof-rules']);
  return {
    name: t('fields.name'),
    isActive: t('common:status.source.Active'),
    podRequirement: t('title', { ns: 'proof-rules' }),
  };
}

/** What can be said of a source, new or not. */
export function SourceFields({ form }: { form: UseFormReturn<SourceValues> }) {
  const { t } = useTranslation(['sources', 'proof-rules']);
  const labels = useSourceLabels();
  const { control, register, formState } = form;
  const { errors } = formState;
  // In the order on screen: of several that are wrong, the form focuses the one it met first.
  const name = register('name', { required: true, maxLength: limits.shortName });
  const isActive = register('isActive');
  const { field: proof } = useController({
    control,
    name: 'podRequirement',
    rules: {
      validate: ({ mode, proofs }) =>
        mode !== 'chosen' || proofs.length > 0 || t('chooseOne', { ns: 'proof-rules' }),
    },
  });
  return (
    <>
      <TextField
        {...name}
        autoComplete="off"
        label={labels.name}
        hint={t('edit.nameHint')}
        error={errors.name}
      />
      <CheckboxField
        {...isActive}
        isSwitch
        label={labels.isActive}
        hint={t('edit.activeHint')}
        error={errors.isActive}
      />
      <ProofField
        {...proof}
        inheritedLabel={t('inherited.source', { ns: 'proof-rules' })}
        error={ruleMessage(labels.podRequirement, errors.podRequirement as FieldError | undefined)}
      />
    </>
  );
}
