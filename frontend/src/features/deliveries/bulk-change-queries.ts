import type { ResultOf } from '@/data/graphql';
import { graphql } from '@/data/graphql';

export const bulkChangeQuery = graphql(`
  query BulkChange($id: String!) {
    bulkChange(id: $id) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const bulkChangesQuery = graphql(`
  query BulkChanges {
    bulkChanges {
      id
      verb
      state
      total
      done
      changed
      finishedAt
    }
  }
`);

export const assignAllMutation = graphql(`
  mutation AssignAll($change: BulkChangeInput!, $driverId: String) {
    assignAll(change: $change, driverId: $driverId) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const changeAllDispatchTimesMutation = graphql(`
  mutation ChangeAllDispatchTimes($change: BulkChangeInput!, $scheduledatetime: DateTime!) {
    changeAllDispatchTimes(change: $change, scheduledatetime: $scheduledatetime) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const rescheduleAllMutation = graphql(`
  mutation RescheduleAll($change: BulkChangeInput!, $scheduledatetime: DateTime!, $note: String) {
    rescheduleAll(change: $change, scheduledatetime: $scheduledatetime, note: $note) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const cancelBulkChangeMutation = graphql(`
  mutation CancelBulkChange($id: String!) {
    cancelBulkChange(id: $id) {
      id
      cancelRequested
    }
  }
`);

export const undoBulkChangeMutation = graphql(`
  mutation UndoBulkChange($id: String!, $changeId: String!) {
    undoBulkChange(id: $id, changeId: $changeId) {
      id
    }
  }
`);

export type BulkChange = NonNullable<ResultOf<typeof bulkChangeQuery>['bulkChange']>;

const VERBS = ['assign', 'dispatch', 'reschedule'] as const;

/** What a change does, as the texts name it. */
export const verbOf = (verb: string) => VERBS.find((it) => it === verb) ?? 'assign';
