import { useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAttachments } from '@/domain/proof/use-attachments';
import { RadioField } from '@/form/choice-fields';
import { TextareaField } from '@/form/fields';
import { showFieldErrors } from '@/form/use-save';
import { Note } from '@/ui/note';
import { statusLook } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { ReasonField } from './dialogs';
import { correctDeliveryMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import type { ActionProps } from './dialogs';
import { ChangeDialog } from './dialogs';
import { type PhotosForm, PhotosProof } from './photos-proof';
import { filesOf, keptOf } from './proofs';
import { atMost, limits, requiredText } from '@/form/limits';

const STATUSES = ['Pending', 'Undelivered', 'Rejected'] as const;
type Status = (typeof STATUSES)[number];

interface Values {
  status: Status;
  outcomeReason: string;
  outcomeNote: string;
  reason: string;
  photos: number;
}

/** Corrects the status of a delivery that was completed by mistake. */
export function CorrectStatusDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  const reasons = useReasons();
  const change = useChange(delivery, 'correct_status', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(correctDeliveryMutation);
  const attachments = useAttachments(delivery.id, filesOf(delivery));
  const form = useForm<Values>({
    defaultValues: { status: 'Pending', outcomeReason: '', outcomeNote: '', reason: '', photos: 0 },
    shouldUnregister: true,
  });
  const { errors } = form.formState;
  const [status, code] = useWatch({ control: form.control, name: ['status', 'outcomeReason'] });
  const appliesTo = status === 'Rejected' ? 'rejected' : 'undelivered';
  const outcomeReason = status === 'Pending' ? undefined : reasons.find(appliesTo, code);
  const isNoteNeeded = outcomeReason?.requiresNote === true;
  const isPhotoNeeded = outcomeReason?.requiresPhoto === true;
  const asksForPhotos =
    status !== 'Pending' &&
    (isPhotoNeeded || attachments.entries.length > 0 || errors.photos?.type === 'server');

  async function submit(values: Values) {
    change.begin();
    if (asksForPhotos && !(await attachments.send())) return;
    const { error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        status: values.status,
        outcomeReason: values.outcomeReason || null,
        outcomeNote: values.outcomeNote?.trim() || null,
        reason: values.reason.trim(),
      },
    });
    if (!error) {
      toast.success(t('correct.done', { id: base.id }));
      onClose();
      return;
    }
    const failed = change.refuse(error);
    if (!failed) return;
    showFieldErrors(failed, ['outcomeReason', 'outcomeNote', 'reason', 'photos'], form.setError);
  }

  return (
    <ChangeDialog
      form={form}
      change={change}
      delivery={delivery}
      reasons={reasons}
      title={t('correct.statusTitle', { id: base.id })}
      text={t('correct.statusText')}
      submit={t('correct.submit')}
      busy={t('correct.busy')}
      onSubmit={submit}
      onReload={onReload}
      onClose={onClose}
      files={
        asksForPhotos && (
          <PhotosProof
            form={form as unknown as UseFormReturn<PhotosForm>}
            attachments={attachments}
            kept={keptOf(delivery, 'photo')}
            isNeeded={isPhotoNeeded}
          />
        )
      }
    >
      <RadioField
        {...form.register('status', {
          // The reasons of the two statuses differ, so the choice is cleared.
          onChange: () => form.setValue('outcomeReason', ''),
        })}
        label={t('fields.status')}
        error={errors.status}
        options={STATUSES.map((value) => ({
          value,
          label: t(`status.delivery.${value}`, { ns: 'common' }),
          icon: statusLook({ kind: 'delivery', status: value }).icon,
        }))}
      />
      {status !== 'Pending' && (
        <>
          <ReasonField
            {...form.register('outcomeReason', { required: true })}
            appliesTo={appliesTo}
            selected={code}
            reasons={reasons}
            error={errors.outcomeReason}
          />
          <TextareaField
            {...form.register('outcomeNote', {
              validate: { ...atMost(limits.note), required: (note) => note.trim() !== '' || !isNoteNeeded },
            })}
            label={t('fields.outcomeNote')}
            error={errors.outcomeNote}
            optional={!isNoteNeeded}
          />
        </>
      )}
      <TextareaField
        {...form.register('reason', requiredText(limits.note))}
        label={t('fields.reason')}
        hint={t('correct.reasonHint')}
        error={errors.reason}
      />
      <Note tone="warn">{t('correct.statusNote')}</Note>
    </ChangeDialog>
  );
}
