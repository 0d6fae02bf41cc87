import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useClient } from 'urql';
import { plainPoint } from '@/domain/lookups/address-field';
import { customerContactQuery } from '../delivery-queries';
import type { HeadValues } from './head-values';

type Filled = Partial<Pick<HeadValues, 'customeraddress' | 'contactPhone' | 'contactEmail'>>;

const NO_ADDRESS: HeadValues['customeraddress'] = { address: '', point: null };

/** Fills the boxes that are still empty from a customer that was chosen, and empties them again on request. */
export function useCustomerFill({ getValues, setValue }: UseFormReturn<HeadValues>) {
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
