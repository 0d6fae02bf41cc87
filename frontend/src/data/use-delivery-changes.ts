import { graphql } from './graphql';
import { useChanges } from './use-changes';

/** A bare id of each delivery that changed: of those asked for, or of all one may read. */
export const deliveryChangedSubscription = graphql(`
  subscription DeliveryChanged($ids: [String!]) {
    deliveryChanged(ids: $ids) {
      id
    }
  }
`);

/** Calls back when one of these deliveries changed elsewhere; without ids, when any did. */
export function useDeliveryChanges(ids: readonly string[] | undefined, onChange: () => void): void {
  const variables = ids ? { ids: [...ids] } : {};
  useChanges(deliveryChangedSubscription, variables, onChange, { enabled: ids?.length !== 0 });
}
