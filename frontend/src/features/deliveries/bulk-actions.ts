import { CalendarClock, Truck } from 'lucide-react';
import { lazy } from 'react';
import type { BulkAction } from '@/list/resource';

/** Their code comes with the first use: most visits to the list only look. */
export const bulkActions: readonly BulkAction[] = [
  {
    id: 'assign',
    labelKey: 'deliveries-list:assign.action',
    icon: Truck,
    dialog: lazy(() => import('./components/assign-dialog')),
  },
  {
    id: 'reschedule',
    labelKey: 'deliveries-list:reschedule.action',
    icon: CalendarClock,
    dialog: lazy(() => import('./components/reschedule-many-dialog')),
  },
];
