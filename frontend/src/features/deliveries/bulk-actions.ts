import { CalendarArrowDown, CalendarClock, Truck } from 'lucide-react';
import { lazy } from 'react';
import type { BulkAction } from '@/list/resource';
import type { DeliveryRow } from './columns';

type Row = Pick<DeliveryRow, 'id' | 'version' | 'deliverystatus' | 'attempt' | 'maxAttempts'>;

const isOpen = ({ deliverystatus }: Row) =>
  deliverystatus === 'Pending' || deliverystatus === 'Undelivered';

/**
 * Actions on the selected deliveries, each with the deliveries the server takes it for. Their code comes with the
 * first use: most visits to the list only look.
 */
export function bulkActions(mayCorrect: boolean): readonly BulkAction<Row>[] {
  return [
    {
      id: 'assign',
      labelKey: 'deliveries-list:assign.action',
      icon: Truck,
      shortcut: 'a',
      // After the outcome, changing the driver is a correction.
      fits: (row) => mayCorrect || isOpen(row),
      dialog: lazy(() => import('./components/assign-dialog')),
      dialogOfAll: lazy(() => import('./components/assign-all-dialog')),
    },
    {
      id: 'dispatch',
      labelKey: 'deliveries-list:dispatch.action',
      icon: CalendarArrowDown,
      shortcut: 'd',
      fits: ({ deliverystatus }) => deliverystatus === 'Pending',
      dialog: lazy(() => import('./components/change-dispatch-dialog')),
      dialogOfAll: lazy(() => import('./components/dispatch-all-dialog')),
    },
    {
      id: 'reschedule',
      labelKey: 'deliveries-list:reschedule.action',
      icon: CalendarClock,
      shortcut: 'r',
      fits: ({ deliverystatus, attempt, maxAttempts }) =>
        deliverystatus === 'Undelivered' && attempt < maxAttempts,
      dialog: lazy(() => import('./components/reschedule-many-dialog')),
      dialogOfAll: lazy(() => import('./components/reschedule-all-dialog')),
    },
  ];
}
