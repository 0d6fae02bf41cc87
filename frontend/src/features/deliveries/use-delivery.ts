import { type RecordResult, useRecord } from '@/data/use-record';
import { useDeliveryChanges } from '@/data/use-changes';
import { type Delivery, deliveryQuery } from './delivery-queries';

const typenames = ['Delivery', 'Shipment', 'Attachment'];

/** One delivery, read anew as soon as somebody changes it elsewhere. */
export function useDelivery(id: string): RecordResult<Delivery> {
  const result = useRecord({
    document: deliveryQuery,
    variables: { id },
    typenames,
    read: ({ delivery }) => delivery,
  });
  useDeliveryChanges([id], result.refresh);
  return result;
}
