import { graphql, type ResultOf } from '@/data/graphql';
import { useDeliveryChanges } from '@/data/use-changes';
import { type RecordResult, useRecord } from '@/data/use-record';
import { attachmentFields } from '@/domain/proof/queries';

const itemFields = graphql(`
  fragment ItemFields on DeliveryItem @_unmask {
    itemNumber
    sku
    description
    unit
    quantity
    weightKg
    barcode
    condition
    quantityDelivered
    quantityRejected
    quantityMissing
    quantityExtra
    varianceReason
    varianceNote
  }
`);

const varianceFields = graphql(`
  fragment VarianceFields on Variance @_unmask {
    id
    attempt
    itemNumber
    kind
    reason
    expectedQuantity
    actualQuantity
    difference
    note
    reportedBy
    occurredAt
  }
`);

const deliveryQuery = graphql(
  `
    query ViewDelivery($id: String!) {
      delivery(id: $id) {
        id
        version
        deliverystatus
        shipmentnumber
        customername
        trucker
        driverId
        driver {
          driverId
          name
          status
        }
        scheduledatetime
        deliverydatetime
        scanmode
        referencedoc
        uploadLogId
        incompleteUploadLogId
        linecount
        customeraddress
        addressPoint {
          lat
          lng
          accuracy
        }
        timeWindowStart
        timeWindowEnd
        contactName
        contactPhone
        contactEmail
        instructions
        internalNote
        priority
        attempt
        maxAttempts
        createdAt
        createdBy
        updatedAt
        updatedBy
        allowedActions
        podRequirement
        conflict
        late
        outcomeReason
        outcomeNote
        outcomeOccurredAt
        outcomeReceivedAt
        outcomePoint {
          lat
          lng
          accuracy
        }
        outcomeDistanceM
        receivedBy
        receivedByRelation
        formVersion
        items {
          ...ItemFields
        }
        variances {
          ...VarianceFields
        }
        attachments {
          ...AttachmentFields
        }
        forms {
          formVersion
          attempt
          status
          issuedAt
          issuedBy
          supersededBy
        }
        history {
          id
          fromStatus
          toStatus
          attempt
          occurredAt
          receivedAt
          actorType
          actorName
          reasonCode
          note
          point {
            lat
            lng
            accuracy
          }
          late
          superseded
          correctionOf
          changes {
            itemNumber
            field
            before
            after
          }
        }
        shipment {
          shipmentnumber
          shipmentstatus
          deliveryCount
          openCount
          completedCount
        }
        source {
          id
          name
        }
      }
    }
  `,
  [itemFields, varianceFields, attachmentFields],
);

export const reasonsQuery = graphql(`
  query Reasons {
    reasons {
      appliesTo
      code
      label
      requiresNote
      requiresPhoto
      isActive
      order
    }
  }
`);

export const createDeliveryMutation = graphql(`
  mutation CreateDelivery($input: CreateDeliveryInput!) {
    createDelivery(input: $input) {
      id
      version
    }
  }
`);

export const updateDeliveryMutation = graphql(`
  mutation UpdateDelivery($input: UpdateDeliveryInput!) {
    updateDelivery(input: $input) {
      id
      version
    }
  }
`);

export const createItemMutation = graphql(`
  mutation CreateDeliveryItem($input: CreateDeliveryItemInput!) {
    createDeliveryItem(input: $input) {
      id
      version
    }
  }
`);

export const updateItemMutation = graphql(`
  mutation UpdateDeliveryItem($input: UpdateDeliveryItemInput!) {
    updateDeliveryItem(input: $input) {
      id
      version
    }
  }
`);

export const deleteItemMutation = graphql(`
  mutation DeleteDeliveryItem($input: DeleteDeliveryItemInput!) {
    deleteDeliveryItem(input: $input) {
      id
      version
    }
  }
`);

export const recordOutcomeMutation = graphql(`
  mutation RecordOutcome($input: RecordOutcomeInput!) {
    recordOutcome(input: $input) {
      id
      version
      deliverystatus
    }
  }
`);

export const correctDeliveryMutation = graphql(`
  mutation CorrectDelivery($input: CorrectDeliveryInput!) {
    correctDelivery(input: $input) {
      id
      version
      deliverystatus
    }
  }
`);

export const rescheduleDeliveryMutation = graphql(`
  mutation RescheduleDelivery($input: RescheduleDeliveryInput!) {
    rescheduleDelivery(input: $input) {
      id
      version
    }
  }
`);

export const resolveConflictMutation = graphql(`
  mutation ResolveConflict($input: ResolveConflictInput!) {
    resolveConflict(input: $input) {
      id
      version
      conflict
    }
  }
`);

export type Delivery = NonNullable<ResultOf<typeof deliveryQuery>['delivery']>;
export type DeliveryItem = Delivery['items'][number];
export type Variance = Delivery['variances'][number];
export type HistoryStep = Delivery['history'][number];
export type DeliveryForm = Delivery['forms'][number];
export type DeliveryAction = Delivery['allowedActions'][number];
export type DeliveryStatus = Delivery['deliverystatus'];
export type ItemCondition = DeliveryItem['condition'];
export type Relation = NonNullable<Delivery['receivedByRelation']>;
export type GeoPoint = NonNullable<Delivery['addressPoint']>;
export type Reason = ResultOf<typeof reasonsQuery>['reasons'][number];
export type ReasonAppliesTo = Reason['appliesTo'];

/** Contact fields that prefill a delivery to a known customer. */
export const customerContactQuery = graphql(`
  query CustomerContact($customerName: String!) {
    customer(customerName: $customerName) {
      customerName
      customerAddress
      customerEmail
      phone
      addressPoint {
        lat
        lng
        accuracy
      }
    }
  }
`);

const typenames = ['Delivery', 'Shipment', 'Attachment'];

/** Reads one delivery and follows its changes. */
export function useDelivery(id: string): RecordResult<Delivery> {
  const result = useRecord({
    document: deliveryQuery,
    variables: { id },
    typenames,
    read: ({ delivery }) => delivery,
  });
  useDeliveryChanges([id], result.refresh);
  return result;
}

/** Finds an item by number, ignoring case like the server. */
export function findItem(
  items: readonly DeliveryItem[],
  itemNumber: string,
): DeliveryItem | undefined {
  const wanted = itemNumber.trim().toLowerCase();
  return items.find((item) => item.itemNumber.toLowerCase() === wanted);
}
