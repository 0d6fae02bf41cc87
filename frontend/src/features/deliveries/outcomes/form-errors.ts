import type { TFunction } from 'i18next';
import type { FieldErrors, UseFormSetError } from 'react-hook-form';
import type { AppError } from '@/data/errors';
import { type FieldMessage, ruleMessage } from '@/form/rule-message';
import { showFieldErrors } from '@/form/use-save';
import type { LinesForm } from '../components/line-inputs';
import type { DeliveryItem } from '../delivery-queries';
import type { OutcomeValues } from './outcome-values';

const LINE_FIELDS = [
  'quantityDelivered',
  'quantityRejected',
  'condition',
  'varianceReason',
  'varianceNote',
] as const;

/** Returns the messages of the lines, such as 'Item 40: Reason is required'. */
export function lineMessages(
  errors: FieldErrors<LinesForm>['lines'],
  items: readonly DeliveryItem[],
  t: TFunction<['outcomes', 'common', 'form']>,
): FieldMessage[] {
  return items.flatMap(({ itemNumber }, index) => {
    const wrong = errors?.[index];
    if (!wrong) return [];
    return LINE_FIELDS.flatMap((name) => {
      const message = ruleMessage(t(`deliveries:fields.${name}`), wrong[name]);
      if (!message) return [];
      return [
        { name: `lines.${index}.${name}`, text: t('lines.message', { item: itemNumber, message }) },
      ];
    });
  });
}

/** How many boxes of the lines are wrong. */
export function countLineErrors(lines: FieldErrors<LinesForm>['lines']): number {
  if (!Array.isArray(lines)) return 0;
  return lines.reduce((sum: number, line?: object) => sum + Object.keys(line ?? {}).length, 0);
}

/** How many fields are wrong, those of the lines among them. */
export function countErrors({ lines, root: _root, ...errors }: FieldErrors<OutcomeValues>): number {
  return Object.keys(errors).length + countLineErrors(lines);
}

const FIELDS = [
  'outcomeReason',
  'outcomeNote',
  'receivedBy',
  'receivedByRelation',
  'occurredAt',
  'scanmode',
  'signature',
  'photos',
] as const;

const OF_A_LINE = /^lines\.\d+\.\w+$/;

/** The fields of lines that an answer names. */
export function lineFields(failed: AppError) {
  return Object.keys(failed.fields).filter((name) => OF_A_LINE.test(name)) as `lines.${number}.quantityDelivered`[];
}

/** Puts what the server refused under the field it is about; a place has two boxes. */
export function showOutcomeErrors(failed: AppError, setError: UseFormSetError<OutcomeValues>) {
  const { location, ...fields } = failed.fields;
  showFieldErrors(
    { ...failed, fields: { ...fields, ...(location && { lat: location }) } },
    [...FIELDS, 'lat', ...lineFields(failed)],
    setError,
  );
}
