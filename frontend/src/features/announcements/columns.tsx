import { SeverityLabel } from '@/announcements/severity-label';
import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import { Audience } from './components/audience';
import type { AnnouncementRow } from './queries';
import { announcementState } from './state';

export const columns: readonly ListColumn<AnnouncementRow>[] = [
  {
    id: 'title',
    labelKey: 'announcements:fields.title',
    kind: 'id-link',
    value: ({ title }) => title,
    secondary: (row) => <Audience announcement={row} />,
    sortable: true,
    locked: true,
    width: 340,
    cardSlot: 'title',
  },
  {
    id: 'severity',
    labelKey: 'announcements:fields.severity',
    kind: 'status',
    value: ({ severity }) => severity,
    render: ({ severity }) => <SeverityLabel severity={severity} />,
    sortable: true,
    width: 110,
    cardSlot: 'second-end',
  },
  {
    id: 'state',
    labelKey: 'announcements:fields.state',
    kind: 'status',
    value: (row) => announcementState(row),
    render: (row) => <StatusChip kind="announcement" status={announcementState(row)} />,
    width: 116,
    cardSlot: 'badge',
  },
  {
    id: 'startsAt',
    labelKey: 'announcements:fields.startsAt',
    kind: 'datetime',
    value: ({ startsAt }) => startsAt,
    sortable: true,
    width: 182,
    cardSlot: 'third',
  },
  {
    id: 'endsAt',
    labelKey: 'announcements:fields.endsAt',
    kind: 'datetime',
    value: ({ endsAt }) => endsAt,
    emptyKey: 'announcements:noEnd',
    sortable: true,
    width: 182,
    cardSlot: 'third-end',
  },
  {
    id: 'seenCount',
    labelKey: 'announcements:fields.seenCount',
    kind: 'number',
    value: ({ seenCount }) => seenCount,
    sortable: true,
    width: 116,
  },
  {
    id: 'audience',
    labelKey: 'announcements:fields.audience',
    kind: 'status',
    value: ({ audienceRoles, audienceUsers }) =>
      [...audienceRoles, ...audienceUsers].join(' ') || 'everybody',
    render: (row) => <Audience announcement={row} />,
    width: 220,
    initiallyHidden: true,
    cardSlot: 'second',
  },
  {
    id: 'message',
    labelKey: 'announcements:fields.message',
    kind: 'text',
    value: ({ message }) => message,
    width: 320,
    initiallyHidden: true,
  },
  {
    id: 'createdAt',
    labelKey: 'announcements:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'createdBy',
    labelKey: 'announcements:fields.createdBy',
    kind: 'text',
    value: ({ createdBy }) => createdBy,
    width: 140,
    initiallyHidden: true,
  },
];
