import { graphql, type ResultOf } from '@/data/graphql';

export const failedQuery = graphql(`
  query DeadLettersToFix($page: PageOptions, $where: [Filter!]) {
    deliveryDeadLetters(mode: failed, page: $page) {
      id
      deliveryId
      method
      state
      endpointName
      errorText
      attempts
      resends
      createdAt
      neverFailed
      nextAttemptAt
    }
    deliveryDeadLettersCount(mode: failed, where: $where) {
      total
      exact
    }
  }
`);

export const sentQuery = graphql(`
  query DeadLettersSent($page: PageOptions, $where: [Filter!]) {
    deliveryDeadLetters(mode: success, page: $page) {
      id
      deliveryId
      method
      state
      endpointName
      attempts
      resends
      createdAt
      neverFailed
      processedAt
    }
    deliveryDeadLettersCount(mode: success, where: $where) {
      total
      exact
    }
  }
`);

export const groupsQuery = graphql(`
  query DeadLetterGroups($where: [Filter!]) {
    deadLetterGroups(where: $where) {
      fingerprint
      state
      errorText
      endpointId
      endpointName
      endpointOff
      endpointPaused
      count
      firstSeenAt
      lastSeenAt
      nextAttemptAt
    }
    deadLetterGroupsCount(where: $where) {
      exact
    }
  }
`);

export const jobsQuery = graphql(`
  query DeadLetterJobs {
    deadLetterJobs {
      id
      action
      state
      total
      done
      changed
      reason
      failureText
      createdBy
      createdAt
      finishedAt
      cancelRequested
    }
  }
`);

export const jobSubscription = graphql(`
  subscription DeadLetterJobChanged($id: String!) {
    deadLetterJobChanged(id: $id) {
      id
      state
      done
      changed
    }
  }
`);

export const letterQuery = graphql(`
  query DeadLetter($id: String!) {
    deliveryDeadLetter(id: $id) {
      id
      deliveryId
      method
      state
      endpointName
      endpointUrl
      endpointOff
      endpointPaused
      payload
      editedPayload
      requestHeaders
      errorClass
      errorText
      attempts
      attemptLog {
        at
        status
        ms
        error
        requestBody
        responseBody
      }
      createdAt
      neverFailed
      queuedAt
      processedAt
      nextAttemptAt
      idempotencyKey
      discardedBy
      discardReason
      resends
      producerName
      replayOf
      waitsBehind {
        id
        method
        queuedAt
        nextAttemptAt
      }
      behind {
        id
        method
        queuedAt
        nextAttemptAt
      }
      behindCount
    }
  }
`);

export const resendMutation = graphql(`
  mutation ResendDeadLetter($id: String!, $payload: String, $again: Boolean! = false) {
    resendDeadLetter(id: $id, payload: $payload, again: $again) {
      id
      state
      resends
      nextAttemptAt
    }
  }
`);

export const resendManyMutation = graphql(`
  mutation ResendDeadLetters($input: DeadLettersInput!) {
    resendDeadLetters(input: $input) {
      id
      total
      state
    }
  }
`);

export const discardManyMutation = graphql(`
  mutation DiscardDeadLetters($input: DeadLettersInput!, $reason: String!) {
    discardDeadLetters(input: $input, reason: $reason) {
      id
      total
      state
    }
  }
`);

export const cancelJobMutation = graphql(`
  mutation CancelDeadLetterJob($id: String!) {
    cancelDeadLetterJob(id: $id) {
      id
      state
      cancelRequested
    }
  }
`);

export const endpointsQuery = graphql(`
  query OutboundEndpoints {
    outboundEndpoints {
      id
      name
      url
      methods
      sourceIds
      isActive
      pausedAt
      failuresInRow
      secretRotatedAt
      updatedAt
      updatedBy
      version
    }
    sources(page: { limit: 100 }) {
      id
      name
    }
  }
`);

export const saveEndpointMutation = graphql(`
  mutation SaveOutboundEndpoint($input: SaveOutboundEndpointInput!) {
    saveOutboundEndpoint(input: $input) {
      id
      name
      secret
    }
  }
`);

export const deleteEndpointMutation = graphql(`
  mutation DeleteOutboundEndpoint($id: String!, $version: Int!) {
    deleteOutboundEndpoint(id: $id, version: $version)
  }
`);

export const rotateSecretMutation = graphql(`
  mutation RotateOutboundSecret($id: String!, $version: Int!) {
    rotateOutboundSecret(id: $id, version: $version) {
      id
      name
      secret
    }
  }
`);

export const resumeEndpointMutation = graphql(`
  mutation ResumeOutboundEndpoint($id: String!) {
    resumeOutboundEndpoint(id: $id) {
      id
      pausedAt
    }
  }
`);

export const testEndpointMutation = graphql(`
  mutation TestOutboundEndpoint($id: String!) {
    testOutboundEndpoint(id: $id) {
      status
      ms
      error
      responseBody
    }
  }
`);

export const producersQuery = graphql(`
  query DeadLetterProducers {
    deadLetterProducers {
      id
      name
      endpointId
      endpointName
      isActive
      subject
      tokenMadeAt
      version
    }
  }
`);

export const saveProducerMutation = graphql(`
  mutation SaveDeadLetterProducer($input: SaveDeadLetterProducerInput!) {
    saveDeadLetterProducer(input: $input) {
      id
      name
      token
    }
  }
`);

export const deleteProducerMutation = graphql(`
  mutation DeleteDeadLetterProducer($id: String!, $version: Int!) {
    deleteDeadLetterProducer(id: $id, version: $version)
  }
`);

export const rotateTokenMutation = graphql(`
  mutation RotateDeadLetterProducerToken($id: String!, $version: Int!) {
    rotateDeadLetterProducerToken(id: $id, version: $version) {
      id
      name
      token
    }
  }
`);

export type Producer = ResultOf<typeof producersQuery>['deadLetterProducers'][number];
export type FailedRow = ResultOf<typeof failedQuery>['deliveryDeadLetters'][number];
export type SentRow = ResultOf<typeof sentQuery>['deliveryDeadLetters'][number];
export type Group = ResultOf<typeof groupsQuery>['deadLetterGroups'][number];
export type Job = ResultOf<typeof jobsQuery>['deadLetterJobs'][number];
export type Letter = NonNullable<ResultOf<typeof letterQuery>['deliveryDeadLetter']>;
export type Turn = Letter['behind'][number];
export type Attempt = Letter['attemptLog'][number];
export type Endpoint = ResultOf<typeof endpointsQuery>['outboundEndpoints'][number];
export type Source = ResultOf<typeof endpointsQuery>['sources'][number];

export const countsQuery = graphql(`
  query DeadLetterCounts {
    failed: deliveryDeadLettersCount(mode: failed) {
      total
      exact
    }
    sent: deliveryDeadLettersCount(mode: success) {
      total
      exact
    }
  }
`);
