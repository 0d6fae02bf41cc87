import { Link } from 'react-router';
import type { ListColumn } from '@/list/resource';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Actor } from './components/actor';
import { ReasonLabel } from './components/reason-label';
import { StatusStep } from './components/status-step';
import { StepMarks } from './components/step-marks';
import type { HistoryStep } from './queries';

/** Sorted by time alone: a history of millions of steps has an index for that. */
export const columns: readonly ListColumn<HistoryStep>[] = [
  {
    id: 'occurredAt',
    labelKey: 'status-histories:fields.occurredAt',
    kind: 'id-link',
    value: ({ occurredAt }) => occurredAt,
    render: ({ occurredAt }) => <DateTime instant={occurredAt} inline />,
    sortable: true,
    locked: true,
    width: 182,
    cardSlot: 'third',
  },
  {
    id: 'deliveryId',
    labelKey: 'status-histories:fields.deliveryId',
    kind: 'text',
    value: ({ deliveryId }) => deliveryId,
    render: ({ deliveryId }) => (
      <Link
        to={routes.viewDelivery({ deliveryId })}
        className="text-accent tabular-nums hover:underline focus-visible:outline-offset-1"
      >
        {deliveryId}
      </Link>
    ),
    // A card is a button as a whole, and no link may stand in one.
    cardTextKey: 'status-histories:card.deliveryId',
    width: 124,
    cardSlot: 'title',
  },
  {
    id: 'toStatus',
    labelKey: 'status-histories:fields.toStatus',
    kind: 'status',
    value: ({ toStatus }) => toStatus,
    render: (step) => <StatusStep step={step} />,
    width: 340,
    cardSlot: 'second',
  },
  {
    id: 'attempt',
    labelKey: 'status-histories:fields.attempt',
    kind: 'number',
    value: ({ attempt }) => attempt,
    width: 84,
    priority: 5,
  },
  {
    id: 'actorName',
    labelKey: 'status-histories:fields.actorName',
    kind: 'text',
    value: ({ actorName, actorType }) => actorName || actorType,
    render: (step) => <Actor step={step} />,
    width: 130,
    grow: 1,
    priority: 2,
    cardSlot: 'third-end',
  },
  {
    id: 'reasonCode',
    labelKey: 'status-histories:fields.reasonCode',
    kind: 'text',
    value: ({ reasonCode }) => reasonCode,
    render: (step) => <ReasonLabel step={step} />,
    width: 140,
    grow: 1,
    priority: 1,
  },
  {
    id: 'marks',
    labelKey: 'status-histories:fields.marks',
    kind: 'status',
    // Most steps have none, which needs no word.
    value: () => 'marks',
    render: (step) => <StepMarks step={step} />,
    width: 180,
    priority: 3,
    cardSlot: 'second-end',
  },
  {
    id: 'note',
    labelKey: 'status-histories:fields.note',
    kind: 'text',
    value: ({ note }) => note,
    width: 160,
    grow: 2,
    priority: 4,
    muted: true,
  },
  {
    id: 'receivedAt',
    labelKey: 'status-histories:fields.receivedAt',
    kind: 'datetime',
    value: ({ receivedAt }) => receivedAt,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'shipmentnumber',
    labelKey: 'status-histories:fields.shipmentnumber',
    kind: 'text',
    value: ({ shipmentnumber }) => shipmentnumber,
    width: 132,
    initiallyHidden: true,
  },
];
