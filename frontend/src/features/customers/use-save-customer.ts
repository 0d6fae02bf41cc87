import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { CUSTOMER_FIELDS, type CustomerValues, customerInput } from './customer-values';
import { type Customer, customerVersionQuery, updateCustomerMutation } from './queries';

/** Saves a customer and goes back to its page. */
export function useSaveCustomer(
  customer: Pick<Customer, 'customerName'>,
  setError: UseFormSetError<CustomerValues>,
) {
  const { t } = useTranslation('customers');
  const navigate = useNavigate();
  const [, execute] = useMutation(updateCustomerMutation);
  const findConflict = useConflict(customerVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);
  const { customerName } = customer;

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function save(version: number, values: CustomerValues) {
    if (isSaved.current) return;
    forget();
    const { data, error } = await execute({ input: customerInput(customer, version, values) });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done', { name: customerName }));
      await navigate(routes.viewCustomer({ customerName }));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { customerName }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, CUSTOMER_FIELDS, setError);
  }

  return { failure, conflict, save, forget };
}
