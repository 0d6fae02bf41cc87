import type { AppError } from '@/data/errors';

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
