import { graphql } from '@/data/graphql';

/** What the sign-in page offers besides signing in. */
export const signInOptionsQuery = graphql(`
  query SignInOptions {
    adminNeeded {
      needed
    }
    signUpPolicy
  }
`);

export const signUpPolicyQuery = graphql(`
  query SignUpPolicy {
    signUpPolicy
  }
`);

/** Whether links are mailed; the same for every stranger. */
export const sendsMailQuery = graphql(`
  query SendsMail {
    sendsMail
  }
`);

export const adminNeededQuery = graphql(`
  query AdminNeeded {
    adminNeeded {
      needed
      setupTokenNeeded
    }
  }
`);

export const createAdminMutation = graphql(`
  mutation CreateAdmin($input: CreateAdminInput!) {
    createAdmin(input: $input) {
      id
      username
      email
      roles
    }
  }
`);
