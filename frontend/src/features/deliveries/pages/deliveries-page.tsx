import { Plus, Upload } from 'lucide-react';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { CORRECT_ROLES, WRITE_ROLES } from '@/auth/roles';
import { ListStart } from '@/list/list-start';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { bulkActions } from '../bulk-actions';
import type { DeliveryRow } from '../columns';
import { ChangesUnderWay } from '../components/changes-under-way';
import { ExportMenu } from '../components/export-menu';
import { deliveriesResource } from '../resource';

const OFFICE_ACTIONS = bulkActions(false);
const CORRECTING_ACTIONS = bulkActions(true);

const editHref = ({ id }: DeliveryRow) => routes.editDelivery({ deliveryId: id });

export default function DeliveriesPage() {
  const { t } = useTranslation(['deliveries', 'deliveries-list']);
  const { hasRole } = useAuth();
  const mayWrite = hasRole(WRITE_ROLES);
  return (
    <PageFrame fill>
      {mayWrite && <ChangesUnderWay />}
      <ListStart resource={deliveriesResource} first="today">
        <ResourceList
          resource={deliveriesResource}
          {...(mayWrite && {
            bulkActions: hasRole(CORRECT_ROLES) ? CORRECTING_ACTIONS : OFFICE_ACTIONS,
          })}
          {...(mayWrite && { editHref })}
          tools={ExportMenu}
          action={
            mayWrite && (
              <Button asChild variant="primary" icon={Plus}>
                <Link to={routes.newDelivery()}>
                  {/* A narrow screen has room for one word. */}
                  <span>
                    <Trans
                      t={t}
                      i18nKey="deliveries-list:new"
                      components={{ 1: <span className="max-md:sr-only" /> }}
                    />
                  </span>
                </Link>
              </Button>
            )
          }
          emptyAction={
            mayWrite && (
              <Button asChild variant="primary" size={36} icon={Upload}>
                <Link to={routes.uploadDeliveries()}>{t('empty.action')}</Link>
              </Button>
            )
          }
        />
      </ListStart>
    </PageFrame>
  );
}
