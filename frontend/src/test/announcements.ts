/** An announcement with the fields that lists and its page request. */
export function announcement(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Announcement',
    id,
    title: 'EDSA southbound closed',
    message: 'EDSA southbound closed at Guadalupe until 6:00 PM',
    severity: 'critical',
    audienceRoles: [],
    audienceUsers: [],
    startsAt: '2026-11-20T05:10:30Z',
    endsAt: null,
    isActive: true,
    dismissible: true,
    seenCount: 31,
    createdAt: '2026-11-20T05:10:30Z',
    createdBy: 'rosa',
    updatedAt: '2026-11-20T05:10:30Z',
    updatedBy: 'rosa',
    version: 3,
    ...changes,
  };
}

/** An announcement for the signed-in user. */
export function myAnnouncement(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'MyAnnouncement',
    id,
    title: 'EDSA southbound closed',
    message: 'EDSA southbound closed at Guadalupe until 6:00 PM',
    severity: 'critical',
    dismissible: true,
    dismissed: false,
    seen: false,
    startsAt: '2026-11-20T05:10:00Z',
    endsAt: null,
    ...changes,
  };
}

/** A report setting with the fields that lists and its page request. */
export function reportSetting(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'ReportSetting',
    id,
    name: 'Deliveries by day',
    reportKey: 'deliveries',
    columns: [
      reportColumn('Delivery.deliverystatus'),
      reportColumn('Delivery.trucker', { label: 'Carrier' }),
      reportColumn('Delivery.count'),
    ],
    defaultFilters: [],
    rangeDays: 7,
    granularity: 'day',
    groupBy: ['Delivery.trucker'],
    sort: [{ __typename: 'ReportSort', member: 'Delivery.trucker', direction: 'desc' }],
    format: 'xlsx',
    isActive: true,
    updatedAt: '2026-11-20T05:10:00Z',
    updatedBy: 'rosa',
    version: 3,
    ...changes,
  };
}

/** The schedule of a report setting as its page loads it. */
export function reportSchedule(changes: Record<string, unknown> = {}) {
  return {
    __typename: 'ReportSchedule',
    id: 's1',
    cadence: 'weekly',
    weekday: 'friday',
    monthDay: null,
    time: '07:30',
    timeZone: 'Asia/Manila',
    recipients: ['rosa', 'lara'],
    format: 'xlsx',
    isPaused: false,
    pausedReason: null,
    owner: 'rosa',
    nextAt: '2026-11-27T23:30:00Z',
    isSending: false,
    sentAt: '2026-11-19T23:30:05Z',
    sentCount: 1,
    skipped: 'lara: no active account',
    failedAt: null,
    failure: null,
    version: 2,
    ...changes,
  };
}

export function reportColumn(member: string, changes: Record<string, unknown> = {}) {
  return { __typename: 'ReportColumn', member, label: '', visible: true, width: null, ...changes };
}

function member(name: string, title: string, kind: string) {
  return { __typename: 'ReportMember', member: name, title, kind };
}

/** The members of two kinds of reports, between which all filters are. */
export const filterMembers = {
  variances: [
    member('Variance.reason', 'Reason', 'dimension'),
    member('Delivery.deliverystatus', 'Delivery Status', 'dimension'),
    member('Delivery.trucker', 'Trucker', 'dimension'),
    member('Variance.count', 'Variances', 'measure'),
  ],
  shipments: [
    member('Shipment.shipmentstatus', 'Shipment Status', 'dimension'),
    member('Delivery.trucker', 'Trucker', 'dimension'),
  ],
};

/** Members available for reports of deliveries. */
export const reportMembers = [
  member('Delivery.id', 'Delivery Doc', 'dimension'),
  member('Delivery.deliverystatus', 'Delivery Status', 'dimension'),
  member('Delivery.trucker', 'Trucker', 'dimension'),
  member('Delivery.scheduledatetime', 'Dispatch Date and Time', 'time'),
  member('Delivery.count', 'Deliveries', 'measure'),
];
