import { useState } from 'react';
import { Controller, type FieldError, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { AppError } from '@/data/errors';
import { AddressField, type PlacedAddress, plainPoint } from '@/domain/lookups/address-field';
import { customerLookup, permittedDriverLookup, truckerLookup } from '@/domain/lookups/lookups';
import { RadioField } from '@/form/choice-fields';
import { DateSegments, DateTimeField } from '@/form/date-field';
import { dateTimeRules } from '@/form/date-text';
import { TextareaField, TextField } from '@/form/fields';
import { limits, said } from '@/form/limits';
import { LookupField } from '@/form/lookup-field';
import { ruleMessage } from '@/form/rule-message';
import { Button } from '@/ui/button';
import { Field, FieldGroup } from '@/ui/field';
import { Input } from '@/ui/input';
import { Note } from '@/ui/note';
import { customerContactQuery } from '../delivery-queries';
import { HEAD_LINES, HEAD_NOTES, type HeadText, type TextSpec } from './head-texts';
import { dateRules, HEAD_FIELDS, type HeadValues } from './head-values';

interface HeadFieldsProps {
  form: UseFormReturn<HeadValues>;
  /** The address as it is saved. */
  savedAddress: PlacedAddress;
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
const PRIORITIES = ['low', 'normal', 'high'] as const;

const entriesOf = (specs: Partial<Record<HeadText, TextSpec>>) => Object.entries(specs) as [HeadText, TextSpec][];

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
        {...register('referencedoc', { maxLength: limits.shortName })}
        {...verbatim}
        label={label('referencedoc')}
        error={errors.referencedoc}
        optional
      />
      <TextField
        {...register('shipmentnumber', { ...said, maxLength: limits.code })}
        {...verbatim}
        label={label('shipmentnumber')}
        error={errors.shipmentnumber}
      />
      <Controller
        control={control}
        name="customername"
        rules={{ ...said, maxLength: limits.name }}
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
        rules={{ maxLength: limits.shortName }}
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
        rules={{ maxLength: limits.code }}
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
      {entriesOf(HEAD_LINES).map(([name, { maxLength, type, hint }]) => (
        <TextField
          key={name}
          {...register(name, { maxLength })}
          {...(type === 'email' ? verbatim : { autoComplete: 'off' })}
          type={type ?? 'text'}
          label={label(name)}
          hint={hint && t(`hints.${name}`)}
          error={errors[name]}
          optional
        />
      ))}
      <RadioField
        {...register('priority')}
        label={label('priority')}
        error={errors.priority}
        options={PRIORITIES.map((value) => ({ value, label: t(`deliveries:priority.${value}`) }))}
      />
      {entriesOf(HEAD_NOTES).map(([name, { maxLength, hint }]) => (
        <TextareaField
          key={name}
          {...register(name, { maxLength })}
          label={label(name)}
          hint={hint && t(`hints.${name}`)}
          error={errors[name]}
          optional
        />
      ))}
    </div>
  );
}

/** The two halves of the dispatch date and time, each with its own label and message. */
function DispatchField({ form }: { form: UseFormReturn<HeadValues> }) {
  const { t } = useTranslation('deliveries');
  const { errors } = form.formState;
  const labels = { date: t('fields.dispatchDate'), time: t('fields.dispatchTime') };
  return (
    <FieldGroup legend={<span className="sr-only">{t('fields.scheduledatetime')}</span>}>
      <div className="flex flex-wrap gap-x-3 gap-y-4">
        <Controller
          control={form.control}
          name="dispatchDate"
          rules={dateRules}
          render={({ field }) => (
            <FieldGroup
              required
              legend={labels.date}
              error={ruleMessage(labels.date, errors.dispatchDate)}
            >
              <div onBlur={field.onBlur}>
                <DateSegments ref={field.ref} value={field.value} onChange={field.onChange} />
              </div>
            </FieldGroup>
          )}
        />
        <Field
          required
          label={labels.time}
          error={ruleMessage(labels.time, errors.dispatchTime)}
          className="w-32"
        >
          <Input {...form.register('dispatchTime', { required: true })} type="time" />
        </Field>
      </div>
    </FieldGroup>
  );
}

type Filled = Partial<Pick<HeadValues, 'customeraddress' | 'contactPhone' | 'contactEmail'>>;

const NO_ADDRESS: HeadValues['customeraddress'] = { address: '', point: null };

/** Fills the boxes that are still empty from a customer that was chosen, and empties them again on request. */
function useCustomerFill({ getValues, setValue }: UseFormReturn<HeadValues>) {
  const client = useClient();
  const [filled, setFilled] = useState<{ name: string; values: Filled }>();

  async function fill(name: string) {
    setFilled(undefined);
    const { data } = await client.query(customerContactQuery, { customerName: name }).toPromise();
    const customer = data?.customer;
    // Somebody may have gone on typing.
    if (!customer || getValues('customername') !== name) return;
    const { customeraddress, contactPhone, contactEmail } = getValues();
    const values: Filled = {
      ...(customeraddress.address === '' &&
        customer.customerAddress && {
          customeraddress: {
            address: customer.customerAddress,
            point: plainPoint(customer.addressPoint),
          },
        }),
      ...(contactPhone === '' && customer.phone && { contactPhone: customer.phone }),
      ...(contactEmail === '' && customer.customerEmail && { contactEmail: customer.customerEmail }),
    };
    for (const key of keysOf(values)) setValue(key, values[key] ?? '', { shouldDirty: true });
    if (keysOf(values).length > 0) setFilled({ name, values });
  }

  /** What was changed by hand since stays. */
  function undo() {
    for (const key of keysOf(filled?.values ?? {})) {
      const isUntouched = JSON.stringify(getValues(key)) === JSON.stringify(filled?.values[key]);
      if (isUntouched) setValue(key, key === 'customeraddress' ? NO_ADDRESS : '', { shouldDirty: true });
    }
    setFilled(undefined);
  }

  return { filledFrom: filled?.name, fill, undo, forget: () => setFilled(undefined) };
}

const keysOf = (values: Filled) => Object.keys(values) as (keyof Filled)[];

/** Labels in the order on screen, for the messages above a form. */
export function useHeadLabels(): Record<(typeof HEAD_FIELDS)[number], string> {
  const { t } = useTranslation('deliveries');
  return Object.fromEntries(HEAD_FIELDS.map((name) => [name, t(`fields.${name}`)])) as ReturnType<
    typeof useHeadLabels
  >;
}

/** The server knows one dispatch date and time, and an address with its point. */
export function headErrors(failed: AppError): AppError {
  const { scheduledatetime, addressPoint, customeraddress, ...fields } = failed.fields;
  const address = [...(customeraddress ?? []), ...(addressPoint ?? [])];
  return {
    ...failed,
    fields: {
      ...fields,
      ...(scheduledatetime && { dispatchDate: scheduledatetime }),
      ...(address.length > 0 && { customeraddress: address }),
    },
  };
}
