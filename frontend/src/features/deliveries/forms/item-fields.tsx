import { Lock } from 'lucide-react';
import { useId } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { QuantityField, quantityRules } from '@/form/quantity';
import { TextField } from '@/form/fields';
import { MAX_CODE, MAX_NOTE, MAX_TEXT, MAX_UNIT, said } from '../outcomes/rules';
import { type ItemValues, UNITS } from './item-values';

interface ItemFieldsProps {
  form: UseFormReturn<ItemValues>;
  /** The number of an item that is kept stays. */
  isKept?: boolean;
  /** Numbers that other items have. */
  taken: readonly string[];
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

export function ItemFields({ form, isKept = false, taken }: ItemFieldsProps) {
  const { t } = useTranslation(['delivery-form', 'deliveries']);
  const unitsId = useId();
  const { register } = form;
  const { errors } = form.formState;
  const label = (name: string) => t(`deliveries:fields.${name}`);
  const isFree = (number: string) =>
    taken.every((other) => other.toLowerCase() !== number.trim().toLowerCase()) ||
    t('items.taken', { item: number.trim() });

  return (
    <>
      <TextField
        {...register('itemNumber', {
          maxLength: MAX_CODE,
          validate: { ...said.validate, free: isFree },
        })}
        {...verbatim}
        label={label('itemNumber')}
        error={errors.itemNumber}
        readOnly={isKept}
        {...(isKept && { end: <Lock aria-hidden className="mr-1 size-3.5 text-muted" /> })}
      />
      <TextField
        {...register('description', { maxLength: MAX_NOTE })}
        label={label('description')}
        error={errors.description}
        autoComplete="off"
        optional
      />
      <TextField
        {...register('sku', { maxLength: MAX_TEXT })}
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
          {...register('unit', { maxLength: MAX_UNIT })}
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
        {...register('barcode', { maxLength: MAX_TEXT })}
        {...verbatim}
        label={label('barcode')}
        error={errors.barcode}
        optional
      />
    </>
  );
}
