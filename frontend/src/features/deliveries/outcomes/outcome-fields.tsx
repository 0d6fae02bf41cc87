import { Controller, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { CheckboxField } from '@/form/choice-fields';
import { DateTimeField } from '@/form/date-field';
import { dateTimeRules } from '@/form/date-text';
import { SelectField, TextareaField, TextField } from '@/form/fields';
import { atMost, limits } from '@/form/limits';
import { fromWallTime } from '@/lib/dates';
import type { Delivery, Relation } from '../delivery-queries';
import type { Reasons } from '../use-reasons';
import { ReasonField } from './dialogs';
import type { RequiredProof, OutcomeKind, OutcomeValues } from './outcome-values';

/** Relations that are places, where there is no recipient who could refuse. */
const NOBODY: readonly string[] = ['safe_place', 'mailbox'];

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How far ahead of the server's clock an outcome may be. */
const AHEAD = 5 * MINUTE;

interface OutcomeFieldsProps {
  delivery: Delivery;
  form: UseFormReturn<OutcomeValues>;
  kind: OutcomeKind;
  reasons: Reasons;
  needed: RequiredProof;
}

/** Fields for reason, recipient, time and note. Each outcome shows only those that apply to it. */
export function OutcomeFields({ delivery, form, kind, reasons, needed }: OutcomeFieldsProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const { register, control } = form;
  const { errors } = form.formState;
  const selected = useWatch({ control, name: 'outcomeReason' });
  const isNameNeeded = needed.isNeeded('recipientName');
  const isNoteNeeded = needed.isNeeded('note');
  const { isEitherMissing } = needed;
  const isScanNeeded = needed.isNeeded('scan');
  const timeRules = useTimeRules(delivery, form.formState.defaultValues?.occurredAt);

  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {kind !== 'delivered' && (
          <ReasonField
            {...register('outcomeReason', { required: true })}
            appliesTo={kind}
            selected={selected}
            reasons={reasons}
            error={errors.outcomeReason}
          />
        )}
        {kind !== 'undelivered' && (
          <>
            <TextField
              {...register('receivedBy', {
                validate: { ...atMost(limits.name), required: (name) => name.trim() !== '' || !isNameNeeded },
              })}
              label={t('fields.receivedBy')}
              error={errors.receivedBy}
              hint={t(kind === 'rejected' ? 'hints.refusedBy' : 'hints.receivedBy')}
              autoComplete="off"
              optional={!isNameNeeded}
            />
            <SelectField
              {...register('receivedByRelation', {
                validate: (relation) =>
                  kind !== 'rejected' || !NOBODY.includes(relation) || t('rules.refusedByPerson'),
              })}
              label={t('fields.receivedByRelation')}
              error={errors.receivedByRelation}
              placeholder={t('notSaid')}
              optional
            >
              {RELATIONS.map((relation) => (
                <option key={relation} value={relation}>
                  {t(`deliveries:relation.${relation}`)}
                </option>
              ))}
            </SelectField>
          </>
        )}
        <Controller
          control={control}
          name="occurredAt"
          rules={timeRules}
          render={({ field }) => (
            <DateTimeField
              {...field}
              label={t('fields.occurredAt')}
              hint={t('hints.occurredAt')}
              error={errors.occurredAt}
            />
          )}
        />
      </div>
      <TextareaField
        {...register('outcomeNote', {
          validate: {
            ...atMost(limits.note),
            required: (note) => note.trim() !== '' || !isNoteNeeded,
            either: (note) => note.trim() !== '' || !isEitherMissing || t('proof.eitherMissing'),
          },
        })}
        label={t('fields.outcomeNote')}
        hint={t('hints.outcomeNote')}
        error={errors.outcomeNote}
        rows={2}
        optional={!isNoteNeeded && !isEitherMissing}
      />
      {kind !== 'undelivered' && (
        <CheckboxField
          {...register('scanmode', {
            validate: { required: (scanned) => scanned || !isScanNeeded },
          })}
          label={t('fields.scanmode')}
          hint={t('hints.scanmode')}
          error={errors.scanmode}
        />
      )}
    </>
  );
}

/** Returns the rules for the time of an outcome, which are those of the server. An untouched time isn't sent. */
function useTimeRules({ createdAt, scheduledatetime }: Delivery, untouched: string | undefined) {
  const { t } = useTranslation('outcomes');
  const timeZone = useTimeZone();
  const { required, validate } = dateTimeRules();
  return {
    required,
    validate: (text: string) => {
      const answer = validate(text);
      const instant = answer === true && text !== untouched && fromWallTime(text, timeZone);
      if (!instant) return answer;
      const at = Date.parse(instant);
      if (at > Date.now() + AHEAD) return t('rules.inFuture');
      const [created, planned] = [Date.parse(createdAt), Date.parse(scheduledatetime)];
      // Imported after the fact.
      if (planned < created) return at >= planned - DAY - MINUTE || t('rules.beforeDispatch');
      // The field has whole minutes.
      return at >= created - MINUTE || t('rules.beforeCreation');
    },
  };
}

/** Recipient relations in the order of the dropdown. */
const RELATIONS: readonly Relation[] = [
  'recipient',
  'family',
  'colleague',
  'security',
  'neighbour',
  'safe_place',
  'mailbox',
  'pickup_point',
  'other',
];
