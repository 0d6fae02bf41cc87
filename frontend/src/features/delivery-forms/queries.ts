import { graphql, type ResultOf } from '@/data/graphql';

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

/** Everything on a form. Numbers, dates and labels arrive formatted, so that screen and PDF match. */
const formDescriptionFields = graphql(`
  fragment FormDescriptionFields on FormDescription @_unmask {
    title
    deliveryId
    status
    marks
    organization
    organizationLines
    logoUrl
    notices {
      lead
      text
      urgent
    }
    sections {
      title
      facts {
        label
        value
        details
        marks
        strong
        wide
      }
    }
    items {
      title
      empty
      columns {
        kind
        title
      }
      rows {
        cells
        notes
        strong
      }
      totals {
        cells
        notes
        strong
      }
    }
    notes {
      lead
      text
      urgent
    }
    signature {
      label
      absent
      name
      details
      marks
      picture {
        attachmentId
        url
        contentType
        alt
        unreadable
        damaged
      }
    }
    photos {
      label
      more
      pictures {
        attachmentId
        url
        contentType
        alt
        caption
        details
        marks
        unreadable
        damaged
      }
    }
    files {
      label
      files {
        lead
        text
        urgent
      }
    }
    qrCode
    url
    checks {
      label
      value
      details
      marks
      strong
      wide
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
          correctionReason
        }
        description {
          ...FormDescriptionFields
        }
      }
    }
  `,
  [formDescriptionFields],
);

export const incompleteFormQuery = graphql(
  `
    query IncompleteForm($deliveryId: String!, $formVersion: Int, $without: [FormPart!]) {
      deliveryForm(deliveryId: $deliveryId, formVersion: $formVersion, without: $without) {
        formVersion
        description {
          ...FormDescriptionFields
        }
      }
    }
  `,
  [formDescriptionFields],
);

export type FormRow = ResultOf<typeof formsQuery>['deliveries'][number];
type FormData = ResultOf<typeof formQuery>;
export type FormDelivery = NonNullable<FormData['delivery']>;
export type FormVersion = FormDelivery['forms'][number];
export type Form = NonNullable<FormData['deliveryForm']>;
export type FormDescription = NonNullable<Form['description']>;
export type FormFact = FormDescription['checks'][number];
export type FormNotice = FormDescription['notes'][number];
export type FormTable = FormDescription['items'];
export type FormPicture = NonNullable<NonNullable<FormDescription['signature']>['picture']>;
