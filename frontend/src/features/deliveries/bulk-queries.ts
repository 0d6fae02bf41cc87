import { graphql } from '@/data/graphql';

export const rescheduleDeliveriesMutation = graphql(`
  mutation RescheduleDeliveries($input: RescheduleDeliveriesInput!) {
    rescheduleDeliveries(input: $input) {
      deliveryId
      ok
      text
    }
  }
`);

export const changeDispatchTimesMutation = graphql(`
  mutation ChangeDispatchTimes($input: ChangeDispatchTimesInput!) {
    changeDispatchTimes(input: $input) {
      deliveryId
      ok
      text
    }
  }
`);

export const assignDriverMutation = graphql(`
  mutation AssignDriver($input: AssignDriverInput!) {
    assignDriver(input: $input) {
      deliveryId
      ok
      text
    }
  }
`);

/** What is changed is not in the answer, so its type is named. */
export const bulkContext = { additionalTypenames: ['Delivery', 'Shipment'] };
