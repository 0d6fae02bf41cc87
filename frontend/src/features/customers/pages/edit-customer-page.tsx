import { Link } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { CustomerForm } from '../components/customer-form';
import { CustomerState } from '../components/customer-state';
import { useCustomer } from '../use-customer';

export default function EditCustomerPage() {
  const { customerName } = useRouteParams('editCustomer');
  const result = useCustomer(customerName);
  return (
    <PageFrame>
      <CustomerState customerName={customerName} result={result}>
        {(customer) => (
          <>
            <h2 className="mb-4 flex min-h-8 items-center text-xl font-semibold wrap-anywhere">
              <Link
                to={routes.viewCustomer({ customerName: customer.customerName })}
                className="hover:underline"
              >
                {customer.customerName}
              </Link>
            </h2>
            <CustomerForm
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
