import { useEffect } from 'react';
import { useController, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PhotosField } from '@/domain/proof/proof-fields';
import type { AttachmentsControl } from '@/domain/proof/use-attachments';
import { ruleMessage } from '@/form/rule-message';

/** The part of a form that asks for photos. */
export interface PhotosForm {
  /** A field without an input; the files are kept outside the form. */
  photos: number;
}

interface PhotosProofProps {
  form: UseFormReturn<PhotosForm>;
  attachments: AttachmentsControl;
  /** How many photos the attempt already has. */
  kept: number;
  isNeeded: boolean;
  /** Whether a photo is one of several proofs of which one is enough. */
  isEitherMissing?: boolean;
}

/** Photos as proof: saving without a required one shows an error here. */
export function PhotosProof({ form, attachments, kept, isNeeded, isEitherMissing = false }: PhotosProofProps) {
  const { t } = useTranslation('outcomes');
  const { control, setValue } = form;
  const { errors, isSubmitting } = form.formState;
  const hasPhoto = kept > 0 || attachments.entries.some(({ kind }) => kind === 'photo');
  const {
    field: { ref },
  } = useController({
    control,
    name: 'photos',
    rules: { validate: { required: () => hasPhoto || !isNeeded } },
    // Where this is shown only while a photo is needed, its error goes with it.
    shouldUnregister: true,
  });

  useEffect(() => {
    // Adding the missing photo clears its error.
    if (hasPhoto) setValue('photos', 1, { shouldValidate: true });
  }, [hasPhoto, setValue]);

  return (
    <PhotosField
      attachments={attachments}
      kind="photo"
      ref={ref}
      kept={kept}
      required={isNeeded || isEitherMissing}
      busy={isSubmitting}
      error={ruleMessage(t('fields.photos'), errors.photos)}
    />
  );
}
