import { SEVERITIES } from '@/announcements/severities';
import {
  CHOICE_OPERATORS,
  OPTIONAL_RANGE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
  type ListView,
} from '@/list/resource';
import { STATES } from './state';

export const filters: readonly FilterField[] = [
  {
    key: 'title',
    labelKey: 'announcements:fields.title',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'severity',
    labelKey: 'announcements:fields.severity',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: SEVERITIES.map((severity) => ({
      value: severity,
      labelKey: `common:severity.${severity}`,
    })),
  },
  {
    key: 'state',
    labelKey: 'announcements:fields.state',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATES.map((state) => ({
      value: state,
      labelKey: `common:status.announcement.${state}`,
    })),
  },
  {
    key: 'startsAt',
    labelKey: 'announcements:fields.startsAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'endsAt',
    labelKey: 'announcements:fields.endsAt',
    kind: 'date-range',
    operators: OPTIONAL_RANGE_OPERATORS,
  },
];

/** Their ids name the counts of `announcementsByStateQuery`. */
export const views: readonly ListView[] = [
  { id: 'all', labelKey: 'announcements:views.all', filters: [] },
  ...STATES.map((state): ListView => ({
    id: state,
    labelKey: `common:status.announcement.${state}`,
    filters: [{ key: 'state', operator: 'equals', values: [{ label: state, value: state }] }],
  })),
];
