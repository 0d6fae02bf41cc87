import { Pencil } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { CustomerFacts } from '../components/customer-facts';
import { CustomerState } from '../components/customer-state';
import { OpenDeliveries } from '../components/open-deliveries';
import { useCustomer } from '../use-customer';

export default function ViewCustomerPage() {
  const { t } = useTranslation('customers');
  const { hasRole } = useAuth();
  const { customerName } = useRouteParams('viewCustomer');
  const result = useCustomer(customerName);
  return (
    <PageFrame>
      <CustomerState customerName={customerName} result={result}>
        {(customer) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="text-xl font-semibold wrap-anywhere">{customer.customerName}</h2>
              {hasRole(WRITE_ROLES) && (
                <Button asChild icon={Pencil} className="ml-auto max-md:ml-0">
                  <Link to={routes.editCustomer({ customerName: customer.customerName })}>
                    {t('edit.verb')}
                  </Link>
                </Button>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <CustomerFacts customer={customer} />
              <OpenDeliveries customerName={customer.customerName} />
            </div>
          </>
        )}
      </CustomerState>
    </PageFrame>
  );
}
