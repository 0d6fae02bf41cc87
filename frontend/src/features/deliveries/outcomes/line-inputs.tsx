import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import {
  type Control,
  type FieldError,
  get,
  type UseFormReturn,
  useFormState,
  useWatch,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { atMost, limits } from '@/form/limits';
import { QuantityInput, quantityRules } from '@/form/quantity';
import { ruleMessage } from '@/form/rule-message';
import { formatQuantity } from '@/lib/numbers';
import { Field, FieldContext, FieldNote } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { DeliveryItem, ItemCondition } from '../delivery-queries';
import {
  countOf,
  differs,
  formatDifference,
  impliedStatus,
  type LineValues,
  sumOf,
  wantsReason,
} from '../lines';
import type { Reasons } from '../use-reasons';

export interface LinesForm {
  lines: LineValues[];
}

const CONDITIONS: readonly ItemCondition[] = ['ok', 'damaged', 'wrong_item', 'expired'];

interface LineInputsProps {
  form: UseFormReturn<LinesForm>;
  index: number;
  item: DeliveryItem;
  reasons: Reasons;
}

/** Returns the inputs of one line with its computed result, shared by the table row and the card. */
export function useLineInputs({ form, index, item, reasons }: LineInputsProps, inColumn: boolean) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const { register, control } = form;
  // Watches only this line, since a delivery can have a thousand.
  const line = useWatch({ control, name: `lines.${index}` });
  const { errors } = useFormState({ control, name: `lines.${index}` });
  const count = line && countOf(line, item.quantity);
  const varies = count !== undefined && differs(count);
  const hasReason = count !== undefined && wantsReason(count);
  const reason = reasons.find('variance', line?.varianceReason);

  const labelOf = (name: keyof LineValues) => t(`deliveries:fields.${name}`);
  function field(name: keyof LineValues, children: React.ReactNode) {
    const error = get(errors, `lines.${index}.${name}`) as FieldError | undefined;
    const label = labelOf(name);
    return (
      <LineField
        inColumn={inColumn}
        shortLabel={label}
        label={t('ofItem', { field: label, item: item.itemNumber })}
        error={ruleMessage(label, error)}
      >
        {children}
      </LineField>
    );
  }

  return {
    varies,
    hasError: Boolean(get(errors, `lines.${index}`)),
    delivered: field(
      'quantityDelivered',
      <QuantityInput {...register(`lines.${index}.quantityDelivered`, quantityRules())} />,
    ),
    rejected: field(
      'quantityRejected',
      <QuantityInput {...register(`lines.${index}.quantityRejected`, quantityRules())} />,
    ),
    difference: count ? (
      varies ? (
        <span className="inline-flex items-center gap-1.5 font-medium text-warn">
          <TriangleAlert aria-hidden className="size-3.5" />
          {formatDifference(count)}
        </span>
      ) : (
        <span className="text-muted">0</span>
      )
    ) : (
      <span className="text-muted">–</span>
    ),
    expected: formatQuantity(item.quantity),
    condition: field(
      'condition',
      <Select {...register(`lines.${index}.condition`)}>
        {CONDITIONS.map((condition) => (
          <option key={condition} value={condition}>
            {t(`deliveries:condition.${condition}`)}
          </option>
        ))}
      </Select>,
    ),
    reason: hasReason && (
      <div className="flex min-w-0 flex-col gap-2">
        {field(
          'varianceReason',
          <Select
            {...register(`lines.${index}.varianceReason`, {
              validate: { required: (code) => code !== '' || !varies },
            })}
          >
            <option value="">{t(reasons.isLoading ? 'reasonsLoading' : 'chooseReason')}</option>
            {reasons.choices('variance', line?.varianceReason).map(({ code, label }) => (
              <option key={code} value={code}>
                {label}
              </option>
            ))}
          </Select>,
        )}
        {field(
          'varianceNote',
          <Input
            {...register(`lines.${index}.varianceNote`, {
              validate: {
                ...atMost(limits.note),
                required: (note) => note.trim() !== '' || reason?.requiresNote !== true,
              },
            })}
            placeholder={t(reason?.requiresNote ? 'lines.noteRequired' : 'lines.note')}
          />,
        )}
      </div>
    ),
  };
}

interface LineFieldProps {
  /** The accessible name: the field and its item. */
  label: string;
  shortLabel: string;
  error: string | undefined;
  /** Whether the column header already names the field. */
  inColumn: boolean;
  children: ReactNode;
}

/** One input of a line, in a table or card. */
function LineField({ label, shortLabel, error, inColumn, children }: LineFieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  if (!inColumn) {
    return (
      <Field label={shortLabel} error={error}>
        {children}
      </Field>
    );
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <FieldContext
        value={{
          id,
          describedBy: error ? noteId : undefined,
          invalid: Boolean(error),
          required: false,
        }}
      >
        {children}
      </FieldContext>
      <FieldNote id={noteId} error={error} />
    </div>
  );
}

interface StatusPanelProps {
  control: Control<LinesForm>;
  items: readonly DeliveryItem[];
}

const SUMS = ['expected', 'delivered', 'rejected', 'missing'] as const;

/** The status that the counted lines imply. It is a preview, since the server decides. */
export function StatusPanel({ control, items }: StatusPanelProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const id = useId();
  const lines = useWatch({ control, name: 'lines' });
  const counted = items.flatMap((item, index) => {
    const line = lines[index];
    const count = line && countOf(line, item.quantity);
    return count ? [{ ...count, itemNumber: item.itemNumber }] : [];
  });
  const known = new Set(counted.map(({ itemNumber }) => itemNumber));
  const left = items.filter(({ itemNumber }) => !known.has(itemNumber));
  const status = impliedStatus(counted) ?? 'Complete_No_Variance';
  const expected = sumOf(counted, 'quantity');
  const delivered = sumOf(counted, 'quantityDelivered');
  const rejected = sumOf(counted, 'quantityRejected');
  const missing = counted.map(({ quantity, quantityDelivered, quantityRejected }) => ({
    amount: Math.max(0, quantity - quantityDelivered - quantityRejected),
  }));
  const sums = { expected, delivered, rejected, missing: sumOf(missing, 'amount') };

  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('status.title')} />
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        <div role="status" aria-label={t('status.label')}>
          <StatusChip kind="delivery" status={status} size={24} />
        </div>
        <dl className="flex flex-col gap-1.5 text-sm">
          {SUMS.map((name) => (
            <div key={name} className="flex justify-between gap-4">
              <dt className="text-muted">{t(`deliveries:items.${name}`)}</dt>
              <dd className="tabular-nums">{formatQuantity(sums[name])}</dd>
            </div>
          ))}
        </dl>
        <p className="border-t border-line pt-3 text-xs text-muted">
          {left.length > 0
            ? t('status.left', {
                count: left.length,
                items: left.map(({ itemNumber }) => itemNumber).join(', '),
              })
            : t('status.text')}
        </p>
      </div>
    </Panel>
  );
}
