import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { placedAddress, plainPoint } from '@/domain/lookups/address-field';
import { proofRequirement } from '@/domain/proof-rules';
import { defineForm } from '@/form/define-form';
import { text } from '@/form/kinds';
import { EMAIL, limits } from '@/form/limits';
import { EditForm } from '@/form/record-form';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { CustomerState, useCustomer } from './customer';
import { type Customer, customerVersionQuery, updateCustomerMutation } from './queries';

export default function EditCustomerPage() {
  const { customerName } = useRouteParams('editCustomer');
  const result = useCustomer(customerName);
  return (
    <PageFrame>
      <CustomerState customerName={customerName} result={result}>
        {(customer) => (
          <>
            <h2 dir="auto" className="mb-4 flex min-h-8 items-center text-xl font-semibold wrap-anywhere">
              <RecordLink
                to={routes.viewCustomer({ customerName: customer.customerName })}
                className="hover:underline"
              >
                {customer.customerName}
              </RecordLink>
            </h2>
            <EditCustomerForm
              key={customer.customerName}
              customer={customer}
              onReload={result.retry}
            />
          </>
        )}
      </CustomerState>
    </PageFrame>
  );
}

interface EditCustomerFormProps {
  customer: Customer;
  /** Reloads the customer. */
  onReload: () => void;
}

function EditCustomerForm({ customer, onReload }: EditCustomerFormProps) {
  const { t } = useTranslation('customers');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateCustomerMutation);
  const { customerName } = customer;
  const address = customer.customerAddress ?? '';
  return (
    <EditForm
      definition={customerForm}
      // One form field holds both the address and its location.
      record={{
        ...customer,
        customerAddress: { address, point: plainPoint(customer.addressPoint) },
      }}
      versionQuery={customerVersionQuery}
      recordKey={{ customerName }}
      save={({ customerAddress: { address: to, point }, ...input }, { version }) =>
        execute({
          input: { ...input, customerName, version, customerAddress: to || null, addressPoint: point },
        })
      }
      onSaved={() => {
        toast.success(t('edit.done', { name: customerName }));
        return () => navigate(routes.viewCustomer({ customerName }));
      }}
      onReload={onReload}
      cancelTo={routes.viewCustomer({ customerName })}
    />
  );
}

/** Declares the fields of a customer. */
const customerForm = defineForm({
  labels: 'customers:fields',
  className: 'max-w-[560px]',
  fields: {
    customerEmail: text({
      type: 'email',
      verbatim: true,
      maxLength: limits.email,
      pattern: EMAIL,
      optional: true,
    }),
    customerAddress: placedAddress(),
    phone: text({ type: 'tel', maxLength: limits.phone, optional: true }),
    code: text({
      hint: 'customers:edit.codeHint',
      verbatim: true,
      maxLength: limits.code,
      optional: true,
    }),
    podRequirement: proofRequirement('proof-rules:inherited.customer'),
  },
});
