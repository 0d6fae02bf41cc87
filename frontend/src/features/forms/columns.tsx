import {
  customerColumn,
  dispatchColumn,
  idColumn,
  processedColumn,
  referenceColumn,
  shipmentColumn,
  statusColumn,
  truckerColumn,
} from '@/delivery-list/columns';
import type { ListColumn } from '@/list/resource';
import { VersionText } from './components/version-text';
import type { FormRow } from './queries';

export const columns: readonly ListColumn<FormRow>[] = [
  idColumn,
  dispatchColumn,
  statusColumn,
  {
    id: 'formVersion',
    labelKey: 'forms:fields.form',
    kind: 'text',
    value: ({ formVersion }) => formVersion,
    render: ({ formVersion }) => <VersionText version={formVersion} />,
    width: 116,
    priority: 2,
    cardSlot: 'third-end',
  },
  customerColumn,
  { ...processedColumn, emptyKey: 'forms:notProcessed', priority: 1 },
  {
    id: 'driverId',
    labelKey: 'deliveries:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    emptyKey: 'common:unassigned',
    sortable: true,
    width: 124,
    initiallyHidden: true,
  },
  { ...truckerColumn, initiallyHidden: true },
  shipmentColumn,
  referenceColumn,
];
