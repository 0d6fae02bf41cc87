import { ACTIVITIES } from '@/driver-activity/activities';
import {
  CHOICE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
  RANGE_OPERATORS,
  type FilterField,
} from '@/list/resource';
import { deliveryLookup, driverLookup } from '@/lookups/lookups';

export const filters: readonly FilterField[] = [
  {
    key: 'driverId',
    labelKey: 'driver-logs:fields.driverId',
    kind: 'lookup',
    operators: CHOICE_OPERATORS,
    lookup: driverLookup,
  },
  {
    key: 'deliveryId',
    labelKey: 'driver-logs:fields.deliveryId',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: deliveryLookup,
  },
  {
    key: 'activity',
    labelKey: 'driver-logs:fields.activity',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: ACTIVITIES.map((activity) => ({
      value: activity,
      labelKey: `driver-activity:activities.${activity}`,
    })),
  },
  {
    key: 'occurredAt',
    labelKey: 'driver-logs:fields.dateRange',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
];
