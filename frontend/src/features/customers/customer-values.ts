import { type GeoPoint, plainPoint } from '@/lookups/geo-point';
import { type ProofChoice, toProofChoice, toProofSet } from '@/proof-rules/proofs';
import type { Customer } from './queries';

/** The fields of the form, named as the server names them when it refuses one. */
export interface CustomerValues {
  customerEmail: string;
  customerAddress: { address: string; point: GeoPoint | null };
  code: string;
  phone: string;
  podRequirement: ProofChoice;
}

export const CUSTOMER_FIELDS = [
  'customerEmail',
  'customerAddress',
  'code',
  'phone',
  'podRequirement',
] as const;

export function customerValues(customer: Customer): CustomerValues {
  return {
    customerEmail: customer.customerEmail ?? '',
    customerAddress: {
      address: customer.customerAddress ?? '',
      point: plainPoint(customer.addressPoint),
    },
    code: customer.code ?? '',
    phone: customer.phone ?? '',
    podRequirement: toProofChoice(customer.podRequirement),
  };
}

/** All of the form, as what is left out is taken away. */
export function customerInput(
  { customerName }: Pick<Customer, 'customerName'>,
  version: number,
  values: CustomerValues,
) {
  const { customerAddress, podRequirement } = values;
  const address = customerAddress.address.trim();
  return {
    customerName,
    version,
    customerEmail: values.customerEmail.trim() || null,
    customerAddress: address || null,
    addressPoint: address ? customerAddress.point : null,
    code: values.code.trim() || null,
    phone: values.phone.trim() || null,
    podRequirement: toProofSet(podRequirement),
  };
}
