import { CalendarArrowDown, CalendarClock, Plus, Truck, Upload } from 'lucide-react';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { CORRECT_ROLES, WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { deliveriesChangedSubscription } from '@/data/use-changes';
import { filters, standingViews, views } from '@/domain/delivery-list/filters';
import { ListStart } from '@/list/list-start';
import { type BulkAction, defineResource } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { lazyPart } from '@/ui/lazy-part';
import { ChangesUnderWay } from './bulk/changes-under-way';
import { columns, type DeliveryRow } from './columns';
import { ExportMenu } from './export-menu';
import { DELIVERIES, deliveriesByViewQuery, deliveriesQuery } from './queries';

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
                  {/* Narrow screens have room for one word only. */}
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

const deliveriesResource = defineResource({
  name: DELIVERIES,
  typename: 'Delivery',
  document: deliveriesQuery,
  toList: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewDelivery({ deliveryId: id }),
  columns,
  filters,
  views: [...standingViews, ...views],
  viewCounts: deliveriesByViewQuery,
  savesViews: true,
  searchElsewhere: { key: 'id', others: ['referencedoc', 'customername'] },
  changes: deliveriesChangedSubscription,
  defaultSort: [{ key: 'scheduledatetime', direction: 'desc' }],
  texts: {
    count: 'deliveries:count',
    countOver: 'deliveries:countOver',
    tableName: 'deliveries:table',
    emptyTitle: 'deliveries:empty.title',
    emptyText: 'deliveries:empty.text',
    noMatchTitle: 'deliveries:noMatch',
  },
});

type Row = Pick<DeliveryRow, 'id' | 'version' | 'deliverystatus' | 'attempt' | 'maxAttempts'>;

const isOpen = ({ deliverystatus }: Row) =>
  deliverystatus === 'Pending' || deliverystatus === 'Undelivered';

const assign = () => import('./bulk/assign-dialog');
const dispatch = () => import('./bulk/dispatch-dialog');
const reschedule = () => import('./bulk/reschedule-dialog');

function close({ onClose }: { onClose: () => void }) {
  onClose();
}

/**
 * Bulk actions. `fits` selects the deliveries for which the server accepts the action. The dialogs are loaded on
 * first use, since most visits only read the list.
 */
function bulkActions(mayCorrect: boolean): readonly BulkAction<Row>[] {
  return [
    {
      id: 'assign',
      labelKey: 'deliveries-list:assign.action',
      icon: Truck,
      shortcut: 'a',
      // After the outcome, changing the driver is a correction.
      fits: (row) => mayCorrect || isOpen(row),
      dialog: lazyPart(async () => ({ default: (await assign()).AssignDialog }), close),
      dialogOfAll: lazyPart(async () => ({ default: (await assign()).AssignAllDialog }), close),
    },
    {
      id: 'dispatch',
      labelKey: 'deliveries-list:dispatch.action',
      icon: CalendarArrowDown,
      shortcut: 'd',
      fits: ({ deliverystatus }) => deliverystatus === 'Pending',
      dialog: lazyPart(async () => ({ default: (await dispatch()).ChangeDispatchDialog }), close),
      dialogOfAll: lazyPart(async () => ({ default: (await dispatch()).DispatchAllDialog }), close),
    },
    {
      id: 'reschedule',
      labelKey: 'deliveries-list:reschedule.action',
      icon: CalendarClock,
      shortcut: 'r',
      fits: ({ deliverystatus, attempt, maxAttempts }) =>
        deliverystatus === 'Undelivered' && attempt < maxAttempts,
      dialog: lazyPart(async () => ({ default: (await reschedule()).RescheduleManyDialog }), close),
      dialogOfAll: lazyPart(async () => ({ default: (await reschedule()).RescheduleAllDialog }), close),
    },
  ];
}
