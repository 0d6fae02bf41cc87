import { TriangleAlert } from 'lucide-react';
import { type FieldError, get, type UseFormReturn, useFormState, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { QuantityInput, quantityRules } from '@/form/quantity';
import { ruleMessage } from '@/form/rule-message';
import { formatQuantity } from '@/lib/numbers';
import { Input, Select } from '@/ui/input';
import type { DeliveryItem, ItemCondition } from '../delivery-queries';
import { countOf, differs, formatDifference, type LineValues, wantsReason } from '../lines';
import type { Reasons } from '../use-reasons';
import { MAX_NOTE } from '../outcomes/rules';
import { LineField } from './line-field';

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

/** The boxes of one line and what they add up to, for a row of a table and for a card alike. */
export function useLineInputs({ form, index, item, reasons }: LineInputsProps, inColumn: boolean) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const { register, control } = form;
  // Of this line alone: there may be a thousand.
  const line = useWatch({ control, name: `lines.${index}` });
  const { errors } = useFormState({ control, name: `lines.${index}` });
  const count = line && countOf(line, item.quantity);
  const varies = count !== undefined && differs(count);
  const hasReason = count !== undefined && wantsReason(count);
  const reason = reasons.find('variance', line?.varianceReason);
  // One that is no longer given out stays where it is.
  const choices = reasons.active('variance');
  const isOld = reason && !choices.includes(reason);

  const labelOf = (name: string) => t(`deliveries:fields.${name}`);
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
            {choices.map(({ code, label }) => (
              <option key={code} value={code}>
                {label}
              </option>
            ))}
            {isOld && <option value={reason.code}>{reason.label}</option>}
          </Select>,
        )}
        {field(
          'varianceNote',
          <Input
            {...register(`lines.${index}.varianceNote`, {
              maxLength: MAX_NOTE,
              validate: {
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
