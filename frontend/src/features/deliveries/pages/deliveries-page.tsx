import { Upload } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { WRITE_ROLES } from '@/auth/roles';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { deliveriesResource } from '../resource';

export default function DeliveriesPage() {
  const { t } = useTranslation('deliveries');
  const { hasRole } = useAuth();
  return (
    <PageFrame fill>
      <ResourceList
        resource={deliveriesResource}
        emptyAction={
          hasRole(WRITE_ROLES) && (
            <Button asChild variant="primary" size={36} icon={Upload}>
              <Link to={routes.uploadDeliveries()}>{t('empty.action')}</Link>
            </Button>
          )
        }
      />
    </PageFrame>
  );
}
