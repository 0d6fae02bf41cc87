import { graphql, type ResultOf } from '@/data/graphql';

export const attachmentFields = graphql(`
  fragment AttachmentFields on Attachment @_unmask {
    id
    deliveryId
    attempt
    itemNumber
    kind
    url
    filename
    contentType
    sizeBytes
    sha256
    width
    height
    capturedAt
    receivedAt
    point {
      lat
      lng
      accuracy
    }
    capturedBy
    source
    addedAfterCompletion
    note
  }
`);

export const presignMutation = graphql(`
  mutation MutatePresignedUrl($url: String!) {
    mutatePresignedUrl(url: $url) {
      presignedUrl
    }
  }
`);

export const attachmentLinkMutation = graphql(`
  mutation RequestAttachmentLink($input: RequestAttachmentLinkInput!) {
    requestAttachmentLink(input: $input) {
      url
    }
  }
`);

export const addAttachmentMutation = graphql(`
  mutation AddAttachment($input: AddAttachmentInput!) {
    addAttachment(input: $input) {
      id
    }
  }
`);

export type Attachment = ResultOf<typeof attachmentFields>;
export type AttachmentKind = Attachment['kind'];
