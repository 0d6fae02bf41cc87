import { CircleCheck, CircleDashed } from 'lucide-react';
import { useEffect, useId } from 'react';
import { useController, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ruleMessage } from '@/form/rule-message';
import { TextField } from '@/form/fields';
import { FormFields } from '@/form/form';
import { SignatureField } from '@/domain/proof/proof-fields';
import type { AttachmentsControl } from '@/domain/proof/use-attachments';
import { useNameOf } from '@/i18n/texts';
import { Panel, PanelHead } from '@/ui/panel';
import type { Delivery } from '../delivery-queries';
import { coordinateRules, type OutcomeKind, type OutcomeValues } from './outcome-values';
import type { RequiredProof } from './outcome-values';
import { type PhotosForm, PhotosProof } from './photos-proof';

/** Requirement met by a photo or a note. */
const EITHER = 'either';

interface ProofFieldsProps {
  form: UseFormReturn<OutcomeValues>;
  delivery: Delivery;
  attachments: AttachmentsControl;
  needed: RequiredProof;
  kind: OutcomeKind;
}

/** Required and provided proof: attachments, note and location. */
export function ProofFields({ form, delivery, attachments, needed, kind }: ProofFieldsProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const nameOf = useNameOf();
  const id = useId();
  const { control, register, setValue } = form;
  const { errors, isSubmitting } = form.formState;
  const { proofs, given, isNeeded, kept, isEitherNeeded, isEitherMissing } = needed;
  const isSigned = given.has('signature');
  const isLocationNeeded = isNeeded('location');
  const asked = [
    ...proofs.map((proof) => ({ proof, isThere: given.has(proof) })),
    ...(isEitherNeeded ? [{ proof: EITHER, isThere: !isEitherMissing }] : []),
  ];
  // A field without an input, holding the number of files.
  const {
    field: { ref: signatureRef },
  } = useController({
    control,
    name: 'signature',
    rules: { validate: { required: () => isSigned || !isNeeded('signature') } },
  });

  useEffect(() => {
    // Adding the missing proof clears its error.
    if (isSigned) setValue('signature', 1, { shouldValidate: true });
  }, [isSigned, setValue]);

  const place = (name: 'lat' | 'lng', other: 'lat' | 'lng') => {
    const rules = coordinateRules(other);
    return (
      <TextField
        {...register(name, {
          ...rules,
          validate: {
            required: (text, values) =>
              rules.validate.required(text, values) && (text !== '' || !isLocationNeeded),
          },
        })}
        label={t(`fields.${name}`)}
        error={errors[name]}
        // No numeric keypad, since that of an iPhone has no minus sign.
        autoComplete="off"
        optional={!isLocationNeeded}
      />
    );
  };

  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('proof.title')} />
      <div className="flex flex-col gap-4 px-4 pt-1 pb-4">
        {asked.length > 0 ? (
          <div className="text-sm">
            <p className="text-xs text-muted">
              {kind === 'delivered' ? t('proof.asked', { customer: delivery.customername }) : t('proof.needed')}
            </p>
            <ul aria-label={t('deliveries:proof.required')} className="mt-1.5 flex flex-col gap-1">
              {asked.map(({ proof, isThere }) => {
                const Icon = isThere ? CircleCheck : CircleDashed;
                return (
                  <li key={proof} className="flex items-center gap-2">
                    <Icon
                      aria-hidden
                      className={`size-4 ${isThere ? 'text-ok' : 'text-muted'}`}
                    />
                    {proof === EITHER ? t('proof.either') : nameOf('deliveries:proof.kind', proof)}
                    <span className={isThere ? 'sr-only' : 'ms-auto text-xs text-muted'}>
                      {t(isThere ? 'deliveries:proof.there' : 'deliveries:proof.missing')}
                    </span>
                  </li>
                );
              })}
            </ul>
          </div>
        ) : (
          <p className="text-xs text-muted">{t('proof.nothing')}</p>
        )}
        <SignatureField
          attachments={attachments}
          ref={signatureRef}
          isKept={kept.signature > 0}
          required={isNeeded('signature')}
          busy={isSubmitting}
          error={ruleMessage(t('fields.signature'), errors.signature)}
        />
        <PhotosProof
          form={form as unknown as UseFormReturn<PhotosForm>}
          attachments={attachments}
          kept={kept.photo}
          isNeeded={isNeeded('photo')}
          isEitherMissing={isEitherMissing}
        />
        {/* The files stay unlocked: they show the progress of their upload, and those that wait can be removed. */}
        <FormFields>
          <div className="grid grid-cols-2 gap-3">
            {place('lat', 'lng')}
            {place('lng', 'lat')}
          </div>
        </FormFields>
      </div>
    </Panel>
  );
}
