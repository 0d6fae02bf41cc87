import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useSave } from '@/form/use-save';
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
  const { attempt, ...saving } = useSave({
    versionQuery: customerVersionQuery,
    fields: CUSTOMER_FIELDS,
    setError,
  });
  const { customerName } = customer;

  function save(version: number, values: CustomerValues) {
    return attempt({
      key: { customerName },
      version,
      send: () => execute({ input: customerInput(customer, version, values) }),
      onSaved: async () => {
        toast.success(t('edit.done', { name: customerName }));
        await navigate(routes.viewCustomer({ customerName }));
      },
    });
  }

  return { ...saving, save };
}
