import { Lock } from 'lucide-react';
import { useId } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { AppError } from '@/data/errors';
import { TextField } from '@/form/fields';
import { atMost, limits, requiredText } from '@/form/limits';
import { QuantityField, quantityRules } from '@/form/quantity';
import { ITEM_FIELDS, type ItemValues, UNITS } from './item-values';

interface ItemFieldsProps {
  form: UseFormReturn<ItemValues>;
  /** Set for saved items, whose number cannot change. */
  isKept?: boolean;
  /** Numbers of the other items. */
  taken: readonly string[];
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

export function ItemFields({ form, isKept = false, taken }: ItemFieldsProps) {
  const { t } = useTranslation(['delivery-editor', 'deliveries']);
  const unitsId = useId();
  const { register } = form;
  const { errors } = form.formState;
  const label = (name: keyof ItemValues) => t(`deliveries:fields.${name}`);
  const isFree = (number: string) =>
    taken.every((other) => other.toLowerCase() !== number.trim().toLowerCase()) ||
    t('items.taken', { item: number.trim() });

  return (
    <>
      <TextField
        {...register('itemNumber', {
          validate: { ...requiredText(limits.code).validate, free: isFree },
        })}
        {...verbatim}
        label={label('itemNumber')}
        error={errors.itemNumber}
        readOnly={isKept}
        {...(isKept && { end: <Lock aria-hidden className="me-1 size-3.5 text-muted" /> })}
      />
      <TextField
        {...register('description', { validate: atMost(limits.note) })}
        label={label('description')}
        error={errors.description}
        autoComplete="off"
        optional
      />
      <TextField
        {...register('sku', { validate: atMost(limits.shortName) })}
        {...verbatim}
        label={label('sku')}
        error={errors.sku}
        optional
      />
      <div className="grid grid-cols-2 gap-4">
        <QuantityField
          {...register('quantity', quantityRules())}
          label={label('quantity')}
          error={errors.quantity}
        />
        <TextField
          {...register('unit', { validate: atMost(limits.unit) })}
          {...verbatim}
          list={unitsId}
          label={label('unit')}
          error={errors.unit}
          optional
        />
        <datalist id={unitsId}>
          {UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {unit}
            </option>
          ))}
        </datalist>
      </div>
      <QuantityField
        {...register('weightKg', quantityRules({ optional: true }))}
        label={label('weightKg')}
        error={errors.weightKg}
        optional
      />
      <TextField
        {...register('barcode', { validate: atMost(limits.shortName) })}
        {...verbatim}
        label={label('barcode')}
        error={errors.barcode}
        optional
      />
    </>
  );
}

/** Labels in screen order, for the error summary above a form. */
export function useItemLabels(): Record<(typeof ITEM_FIELDS)[number], string> {
  const { t } = useTranslation('deliveries');
  return Object.fromEntries(ITEM_FIELDS.map((name) => [name, t(`fields.${name}`)])) as ReturnType<
    typeof useItemLabels
  >;
}

const OF_AN_ITEM = /^(?:items?|lines)(?:\.(\d+))?\.(\w+)$/;

/** Maps server errors of an item to the fields of its form. */
export function itemErrors(failed: AppError): AppError {
  const fields = Object.entries(failed.fields).map(([name, texts]) => [
    OF_AN_ITEM.exec(name)?.[2] ?? name,
    texts,
  ]);
  return { ...failed, fields: Object.fromEntries(fields) as AppError['fields'] };
}

/** Groups server errors of an item list by item number. */
export function wrongItems(
  failed: AppError | undefined,
  items: readonly { itemNumber: string }[],
): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const [name, texts] of Object.entries(failed?.fields ?? {})) {
    const item = items[Number(OF_AN_ITEM.exec(name)?.[1])];
    if (item) wrong.set(item.itemNumber, texts.join(' '));
  }
  return wrong;
}
