import { useDeliveryChanges } from '@/data/use-delivery-changes';
import { useRecord } from '@/data/use-record';
import { formQuery } from './queries';

/** A delivery with its forms, and one of them in full; the newest when none is asked for. */
export function useDeliveryForm(deliveryId: string, formVersion: number | undefined) {
  const result = useRecord({
    document: formQuery,
    variables: { deliveryId, formVersion: formVersion ?? null },
    typenames: ['Delivery', 'DeliveryForm', 'Attachment'],
    read: ({ delivery, deliveryForm }) => delivery && { delivery, form: deliveryForm },
  });
  // A correction made elsewhere issues another version.
  useDeliveryChanges([deliveryId], result.refresh);
  return result;
}

/** The version an address asks for. */
export function versionAsked(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
