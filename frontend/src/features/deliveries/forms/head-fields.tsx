import { Controller, type FieldError, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-field';
import { LookupField } from '@/form/lookup-field';
import { RadioField } from '@/form/choice-fields';
import { TextareaField, TextField } from '@/form/fields';
import { AddressField, type PlacedAddress } from '@/domain/lookups/address-field';
import { customerLookup, permittedDriverLookup, truckerLookup } from '@/domain/lookups/lookups';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import {
  MAX_CODE,
  MAX_EMAIL,
  MAX_NAME,
  MAX_NOTE,
  MAX_PHONE,
  MAX_TEXT,
  said,
} from '../outcomes/rules';
import { DispatchField } from './dispatch-field';
import type { HeadValues } from './head-values';
import { useCustomerFill } from './use-customer-fill';

interface HeadFieldsProps {
  form: UseFormReturn<HeadValues>;
  /** The address as it is saved. */
  savedAddress: PlacedAddress;
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
const PRIORITIES = ['low', 'normal', 'high'] as const;

/** The boxes of a delivery, whether it is new or not. */
export function HeadFields({ form, savedAddress }: HeadFieldsProps) {
  const { t } = useTranslation(['delivery-form', 'deliveries']);
  const { register, control } = form;
  const { errors } = form.formState;
  const customer = useCustomerFill(form);
  const label = (name: string) => t(`deliveries:fields.${name}`);

  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        {...register('referencedoc', { maxLength: MAX_TEXT })}
        {...verbatim}
        label={label('referencedoc')}
        error={errors.referencedoc}
        optional
      />
      <TextField
        {...register('shipmentnumber', { ...said, maxLength: MAX_CODE })}
        {...verbatim}
        label={label('shipmentnumber')}
        error={errors.shipmentnumber}
      />
      <Controller
        control={control}
        name="customername"
        rules={{ ...said, maxLength: MAX_NAME }}
        render={({ field }) => (
          <LookupField
            {...field}
            onChange={(name, chosen) => {
              field.onChange(name);
              if (chosen) void customer.fill(name);
              else customer.forget();
            }}
            lookup={customerLookup}
            label={label('customername')}
            hint={t('hints.customername')}
            error={errors.customername}
          />
        )}
      />
      {customer.filledFrom !== undefined && (
        <Note
          tone="info"
          role="status"
          className="sm:col-span-2"
          action={
            <Button size={28} onClick={customer.undo}>
              {t('fill.undo')}
            </Button>
          }
        >
          {t('fill.text', { name: customer.filledFrom })}
        </Note>
      )}
      <Controller
        control={control}
        name="customeraddress"
        render={({ field }) => (
          <AddressField
            {...field}
            saved={savedAddress}
            label={label('customeraddress')}
            error={errors.customeraddress as FieldError | undefined}
            optional
          />
        )}
      />
      <Controller
        control={control}
        name="trucker"
        rules={{ maxLength: MAX_TEXT }}
        render={({ field }) => (
          <LookupField
            {...field}
            lookup={truckerLookup}
            label={label('trucker')}
            error={errors.trucker}
            optional
          />
        )}
      />
      <Controller
        control={control}
        name="driverId"
        rules={{ maxLength: MAX_CODE }}
        render={({ field }) => (
          <LookupField
            {...field}
            lookup={permittedDriverLookup}
            label={label('driverId')}
            hint={t('hints.driverId')}
            error={errors.driverId}
            optional
          />
        )}
      />
      <div className="sm:col-span-2">
        <DispatchField form={form} />
      </div>
      {(['timeWindowStart', 'timeWindowEnd'] as const).map((name) => (
        <Controller
          key={name}
          control={control}
          name={name}
          rules={dateTimeRules({ optional: true })}
          render={({ field }) => (
            <DateTimeField {...field} label={label(name)} error={errors[name]} optional />
          )}
        />
      ))}
      <TextField
        {...register('contactName', { maxLength: MAX_NAME })}
        label={label('contactName')}
        error={errors.contactName}
        autoComplete="off"
        optional
      />
      <TextField
        {...register('contactPhone', { maxLength: MAX_PHONE })}
        type="tel"
        label={label('contactPhone')}
        error={errors.contactPhone}
        autoComplete="off"
        optional
      />
      <TextField
        {...register('contactEmail', { maxLength: MAX_EMAIL })}
        {...verbatim}
        type="email"
        label={label('contactEmail')}
        error={errors.contactEmail}
        optional
      />
      <RadioField
        {...register('priority')}
        label={label('priority')}
        error={errors.priority}
        options={PRIORITIES.map((value) => ({ value, label: t(`deliveries:priority.${value}`) }))}
      />
      <TextareaField
        {...register('instructions', { maxLength: MAX_NOTE })}
        label={label('instructions')}
        hint={t('hints.instructions')}
        error={errors.instructions}
        optional
      />
      <TextareaField
        {...register('internalNote', { maxLength: MAX_NOTE })}
        label={label('internalNote')}
        hint={t('hints.internalNote')}
        error={errors.internalNote}
        optional
      />
    </div>
  );
}
