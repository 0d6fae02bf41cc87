const fact = (label: string, value: string, changes: Record<string, unknown> = {}) => ({
  __typename: 'FormFact',
  label,
  value,
  details: [],
  marks: [],
  strong: false,
  wide: false,
  ...changes,
});

export const notice = (lead: string, text: string, urgent = false) => ({
  __typename: 'FormNotice',
  lead,
  text,
  urgent,
});

const row = (cells: string[], strong: boolean, notes: string[] = []) => ({
  __typename: 'FormRow',
  cells,
  notes,
  strong,
});

const column = (kind: string, title: string) => ({ __typename: 'FormColumn', kind, title });

/** A picture on a form. Its URL and texts contain the ID. */
export function formPicture(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'FormPicture',
    attachmentId: id,
    url: `/objects/${id}.jpg`,
    contentType: 'image/jpeg',
    alt: `1. ${id}`,
    caption: `1. ${id}`,
    details: ['11:01 AM'],
    marks: [],
    unreadable: "This photo can't be shown",
    damaged: 'This photo was changed after it was added',
    ...changes,
  };
}

export const formPhotos = (...pictures: object[]) => ({
  __typename: 'FormPictures',
  label: 'Photos',
  more: '',
  pictures,
});

/** The texts of a form with two items: one delivered as expected, one short. */
export function formDescription(changes: Record<string, unknown> = {}) {
  return {
    __typename: 'FormDescription',
    title: 'Delivery form',
    deliveryId: 'DR-1184102',
    status: 'Complete with variance',
    marks: [],
    organization: 'Habagat Logistics',
    organizationLines: ['dispatch@habagat.example'],
    logoUrl: null,
    notices: [],
    sections: [
      {
        __typename: 'FormSection',
        title: 'Dispatch',
        facts: [
          fact('Delivery Doc', 'DR-1184102', { strong: true }),
          fact('Dispatch Date and Time', 'Nov 20, 2026 9:30 AM'),
          fact('Driver', 'Rico Santos', { details: ['DRV-014'] }),
        ],
      },
      {
        __typename: 'FormSection',
        title: 'Recipient and outcome',
        facts: [
          fact('Delivered to', 'Bayan Mart Makati', {
            details: ['6780 Ayala Avenue, Makati City'],
            strong: true,
            wide: true,
          }),
          fact('Processed at', 'Nov 20, 2026 11:08 AM', { marks: ['Recorded late'] }),
          fact('Distance from address', '38 m'),
        ],
      },
    ],
    items: {
      __typename: 'FormTable',
      title: 'Delivery items',
      empty: 'This delivery has no items.',
      columns: [
        column('number', 'Item'),
        column('description', 'Description'),
        column('quantity', 'Expected'),
        column('quantity', 'Delivered'),
        column('reason', 'Reason'),
      ],
      rows: [
        row(['10', 'Goods 10', '40', '40', ''], false),
        row(['20', 'Goods 20', '24', '22', 'Damaged in transit'], true, ['Leaked']),
      ],
      totals: [row(['', 'Total, 2 lines', '64', '62', ''], true)],
    },
    notes: [],
    signature: {
      __typename: 'FormSignature',
      label: 'Received in the quantities above',
      absent: 'No signature',
      name: 'Carla Tan',
      details: ['Colleague'],
      marks: [],
      picture: null,
    },
    photos: null,
    files: null,
    qrCode: 'QR code that opens this form',
    url: 'https://waybill.habagat.example/forms/DR-1184102?formVersion=1&code=7KQ2-M4XD',
    checks: [fact('Verification code', '7KQ2-M4XD', { strong: true }), fact('SHA-256', 'c0ffee')],
    ...changes,
  };
}

/** A form version with the fields that the list of versions requests. */
export function formVersion(version: number, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DeliveryForm',
    formVersion: version,
    attempt: 1,
    status: 'Complete_With_Variance',
    issuedAt: '2026-11-20T03:09:00Z',
    issuedBy: 'Rico Santos',
    supersededBy: null,
    ...changes,
  };
}

/** A complete form version. */
export function deliveryForm(version: number, changes: Record<string, unknown> = {}) {
  return {
    ...formVersion(version),
    deliveryId: 'DR-1184102',
    contentHash: 'c0ffee',
    verificationCode: '7KQ2-M4XD',
    content: { __typename: 'FormContent', correctionReason: null },
    description: formDescription(),
    ...changes,
  };
}
