import { graphql, type ResultOf } from '@/data/graphql';

export const customersQuery = graphql(`
  query CustomersPage($page: PageOptions, $where: [Filter!]) {
    customers(page: $page) {
      customerName
      customerEmail
      customerAddress
      code
      phone
      createdAt
      updatedAt
    }
    customersCount(where: $where) {
      total
      exact
    }
  }
`);

export const customerQuery = graphql(`
  query ViewCustomer($customerName: String!) {
    customer(customerName: $customerName) {
      customerName
      customerEmail
      customerAddress
      addressPoint {
        lat
        lng
        accuracy
      }
      code
      phone
      podRequirement
      createdAt
      createdBy
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads who changed the customer last, after a version conflict. */
export const customerVersionQuery = graphql(`
  query CustomerVersion($customerName: String!) {
    current: customer(customerName: $customerName) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const openDeliveriesQuery = graphql(`
  query CustomerOpenDeliveries($page: PageOptions, $where: [Filter!]) {
    deliveries(page: $page) {
      id
      deliverystatus
      scheduledatetime
      driverId
    }
    deliveriesCount(where: $where) {
      total
      exact
    }
  }
`);

export const updateCustomerMutation = graphql(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) {
      customerName
      version
    }
  }
`);

export type CustomerRow = ResultOf<typeof customersQuery>['customers'][number];
export type Customer = NonNullable<ResultOf<typeof customerQuery>['customer']>;
