import { graphql, type ResultOf } from '@/data/graphql';
import { attachmentFields } from '@/proof/queries';

export const formsQuery = graphql(`
  query FormsPage($page: PageOptions, $where: [Filter!]) {
    deliveries(page: $page) {
      id
      deliverystatus
      scheduledatetime
      deliverydatetime
      driverId
      customername
      trucker
      shipmentnumber
      referencedoc
      formVersion
    }
    deliveriesCount(where: $where) {
      total
      exact
    }
  }
`);

export const formsByStatusQuery = graphql(`
  query FormsByStatus(
    $all: [Filter!]
    $Pending: [Filter!]
    $Complete_No_Variance: [Filter!]
    $Complete_With_Variance: [Filter!]
    $Undelivered: [Filter!]
    $Rejected: [Filter!]
  ) {
    all: deliveriesCount(where: $all) {
      total
      exact
    }
    Pending: deliveriesCount(where: $Pending) {
      total
      exact
    }
    Complete_No_Variance: deliveriesCount(where: $Complete_No_Variance) {
      total
      exact
    }
    Complete_With_Variance: deliveriesCount(where: $Complete_With_Variance) {
      total
      exact
    }
    Undelivered: deliveriesCount(where: $Undelivered) {
      total
      exact
    }
    Rejected: deliveriesCount(where: $Rejected) {
      total
      exact
    }
  }
`);

export const formQuery = graphql(
  `
    query ViewForm($deliveryId: String!, $formVersion: Int) {
      delivery(id: $deliveryId) {
        id
        deliverystatus
        formVersion
        forms {
          formVersion
          attempt
          status
          issuedAt
          issuedBy
          supersededBy
        }
      }
      deliveryForm(deliveryId: $deliveryId, formVersion: $formVersion) {
        deliveryId
        formVersion
        attempt
        status
        issuedAt
        issuedBy
        contentHash
        verificationCode
        supersededBy
        content {
          reason
          correctionReason
          items {
            itemNumber
            sku
            description
            unit
            quantity
            condition
            quantityDelivered
            quantityRejected
            varianceNote
          }
          variances {
            id
            itemNumber
            reason
            note
          }
          attachments {
            ...AttachmentFields
          }
          delivery {
            id
            referencedoc
            shipmentnumber
            customername
            customeraddress
            contactName
            contactPhone
            trucker
            driverId
            scheduledatetime
            deliverydatetime
            scanmode
            attempt
            maxAttempts
            addressPoint {
              lat
              lng
              accuracy
            }
            outcomePoint {
              lat
              lng
              accuracy
            }
            outcomeDistanceM
            outcomeOccurredAt
            outcomeReceivedAt
            outcomeNote
            late
            receivedBy
            receivedByRelation
          }
        }
      }
    }
  `,
  [attachmentFields],
);

export type FormRow = ResultOf<typeof formsQuery>['deliveries'][number];
type FormData = ResultOf<typeof formQuery>;
export type FormDelivery = NonNullable<FormData['delivery']>;
export type FormVersion = FormDelivery['forms'][number];
export type Form = NonNullable<FormData['deliveryForm']>;
export type FormContent = NonNullable<Form['content']>;
export type FormItem = FormContent['items'][number];
