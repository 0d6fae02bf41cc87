import { useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { type PlacedAddress, placedAddress, plainPoint } from '@/domain/lookups/address-field';
import { activeSourceLookup, customerLookup, permittedDriverLookup, truckerLookup } from '@/domain/lookups/lookups';
import { DateSegments } from '@/form/date-field';
import { convertDateTime, INVALID_DATE, splitDateTime, toInstant } from '@/form/date-text';
import {
  type BoundField,
  defineForm,
  type FormField,
  newOnly,
  type PartsField,
  type Sending,
} from '@/form/define-form';
import { choice, lines, lookup, optionalDateTime, optionalLookup, text } from '@/form/kinds';
import { limits, requiredText } from '@/form/limits';
import { LookupField } from '@/form/lookup-field';
import { ruleMessage } from '@/form/rule-message';
import { isDay, toWallTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Field, FieldGroup } from '@/ui/field';
import { Input } from '@/ui/input';
import { Note } from '@/ui/note';
import { customerContactQuery, type Delivery } from '../delivery-queries';

const customername: FormField<string, string, string> = {
  hint: 'delivery-editor:hints.customername',
  empty: '',
  rules: () => requiredText(limits.name),
  fill: (stored) => stored,
  send: (value) => value.trim(),
  draw: (bound, { form }) => <CustomerField {...bound} form={form} />,
};

type AddressPart = Pick<Delivery, 'customeraddress' | 'addressPoint'>;

const customeraddress: PartsField<PlacedAddress, AddressPart, AddressPart> = {
  ...placedAddress(),
  parts: ['customeraddress', 'addressPoint'],
  fill: ({ customeraddress: address, addressPoint }) => ({ address, point: plainPoint(addressPoint) }),
  send: ({ address, point }) => ({ customeraddress: address.trim(), addressPoint: point }),
};

const trucker: FormField<string, string, string> = {
  ...lookup({ hint: 'delivery-editor:hints.trucker', lookup: truckerLookup, maxLength: limits.shortName, optional: true }),
  send: (value) => value.trim(),
};

type DispatchPart = Pick<Delivery, 'scheduledatetime'>;

const dispatchOf = ({ scheduledatetime }: DispatchPart, timeZone: string) =>
  splitDateTime(toWallTime(scheduledatetime, timeZone));

function convertDispatch({ values, timeZone, stored }: Sending<DispatchPart>, to: string) {
  const text = `${String(values.dispatchDate)}T${String(values.dispatchTime)}`;
  return splitDateTime(convertDateTime(text, timeZone, to, stored?.scheduledatetime));
}

const dispatchDate: PartsField<string, DispatchPart, DispatchPart> = {
  group: 'deliveries:fields.scheduledatetime',
  empty: '',
  parts: ['scheduledatetime'],
  rules: () => ({ required: true, validate: { validate: (date) => isDay(date) || INVALID_DATE } }),
  fill: (delivery, timeZone) => dispatchOf(delivery, timeZone)[0],
  send: (date, { values, timeZone, stored }) => ({
    scheduledatetime: toInstant(`${date}T${String(values.dispatchTime)}`, timeZone, stored?.scheduledatetime) ?? '',
  }),
  convert: (_, sending: Sending<DispatchPart>, to) => convertDispatch(sending, to)[0],
  draw: ({ value, onChange, onBlur, ref, label, error }) => (
    <FieldGroup required legend={label} error={ruleMessage(label, error)}>
      <div onBlur={onBlur}>
        <DateSegments ref={ref} value={value} onChange={onChange} />
      </div>
    </FieldGroup>
  ),
};

/** The time of day. It sends nothing itself, because the date field sends date and time together. */
const dispatchTime: PartsField<string, DispatchPart, object> = {
  group: 'deliveries:fields.scheduledatetime',
  empty: '',
  parts: [],
  rules: () => ({ required: true }),
  fill: (delivery, timeZone) => dispatchOf(delivery, timeZone)[1],
  send: () => ({}),
  convert: (_, sending: Sending<DispatchPart>, to) => convertDispatch(sending, to)[1],
  draw: ({ name, value, onChange, onBlur, ref, label, error }) => (
    <Field required label={label} error={ruleMessage(label, error)} className="w-32">
      <Input {...{ name, value, onChange, onBlur, ref }} type="time" />
    </Field>
  ),
};

/** Declares the fields of a delivery, without its items. */
export const headForm = defineForm({
  labels: 'deliveries:fields',
  className: '',
  wide: true,
  fields: {
    id: newOnly(text({ hint: 'delivery-editor:hints.newId', verbatim: true, maxLength: limits.code })),
    sourceId: newOnly(optionalLookup({ hint: 'delivery-editor:hints.sourceId', lookup: activeSourceLookup })),
    referencedoc: text({ verbatim: true, maxLength: limits.shortName, optional: true }),
    shipmentnumber: text({ verbatim: true, maxLength: limits.code }),
    customername,
    customeraddress,
    trucker,
    driverId: lookup({
      hint: 'delivery-editor:hints.driverId',
      lookup: permittedDriverLookup,
      maxLength: limits.code,
      optional: true,
    }),
    dispatchDate,
    dispatchTime,
    timeWindowStart: optionalDateTime(),
    timeWindowEnd: optionalDateTime(),
    contactName: text({ maxLength: limits.name, optional: true }),
    contactPhone: text({ type: 'tel', maxLength: limits.phone, optional: true }),
    contactEmail: text({ type: 'email', verbatim: true, maxLength: limits.email, optional: true }),
    priority: choice<Delivery['priority']>({
      values: ['low', 'normal', 'high'],
      initially: 'normal',
      names: 'deliveries:priority',
    }),
    instructions: lines({ hint: 'delivery-editor:hints.instructions', maxLength: limits.note, optional: true }),
    internalNote: lines({ hint: 'delivery-editor:hints.internalNote', maxLength: limits.note, optional: true }),
  },
});

export type HeadFields = (typeof headForm)['fields'];

interface CustomerFieldProps extends BoundField<string> {
  form: UseFormReturn<FieldValues>;
}

function CustomerField({ form, onChange, ...bound }: CustomerFieldProps) {
  const { t } = useTranslation('delivery-editor');
  const customer = useCustomerFill(form);
  return (
    <>
      <LookupField
        {...bound}
        onChange={(name, chosen) => {
          onChange(name);
          if (chosen) void customer.fill(name);
          else customer.forget();
        }}
        lookup={customerLookup}
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
    </>
  );
}

interface Filled {
  customeraddress?: PlacedAddress;
  contactPhone?: string;
  contactEmail?: string;
}

/** Fills empty fields from the chosen customer and offers to undo that. */
function useCustomerFill({ getValues, setValue }: UseFormReturn<FieldValues>) {
  const client = useClient();
  const [filled, setFilled] = useState<{ name: string; values: Filled }>();

  async function fill(name: string) {
    setFilled(undefined);
    const { data } = await client.query(customerContactQuery, { customerName: name }).toPromise();
    const customer = data?.customer;
    // The user may have chosen another customer in the meantime.
    if (!customer || getValues('customername') !== name) return;
    const { customeraddress: own, contactPhone, contactEmail } = getValues() as Required<Filled>;
    const values: Filled = {
      ...(own.address === '' &&
        customer.customerAddress && {
          customeraddress: { address: customer.customerAddress, point: plainPoint(customer.addressPoint) },
        }),
      ...(contactPhone === '' && customer.phone && { contactPhone: customer.phone }),
      ...(contactEmail === '' && customer.customerEmail && { contactEmail: customer.customerEmail }),
    };
    for (const key of keysOf(values)) setValue(key, values[key], { shouldDirty: true });
    if (keysOf(values).length > 0) setFilled({ name, values });
  }

  /** Undoes the filling, but keeps fields that were edited since. */
  function undo() {
    for (const key of keysOf(filled?.values ?? {})) {
      const isUntouched = JSON.stringify(getValues(key)) === JSON.stringify(filled?.values[key]);
      if (isUntouched) setValue(key, headForm.fields[key].empty, { shouldDirty: true });
    }
    setFilled(undefined);
  }

  return { filledFrom: filled?.name, fill, undo, forget: () => setFilled(undefined) };
}

const keysOf = (values: Filled) => Object.keys(values) as (keyof Filled)[];
