import { placedAddress } from '@/domain/lookups/address-field';
import { proofRequirement } from '@/domain/proof-rules';
import { defineForm } from '@/form/define-form';
import { text } from '@/form/kinds';
import { EMAIL, limits } from '@/form/limits';

/** What can be said of a customer. */
export const customerForm = defineForm({
  texts: 'customers',
  className: 'max-w-[560px]',
  fields: {
    customerEmail: text({
      type: 'email',
      verbatim: true,
      maxLength: limits.email,
      pattern: EMAIL,
      optional: true,
    }),
    customerAddress: placedAddress(),
    phone: text({ type: 'tel', maxLength: limits.phone, optional: true }),
    code: text({
      hint: 'edit.codeHint',
      verbatim: true,
      maxLength: limits.code,
      optional: true,
    }),
    podRequirement: proofRequirement('proof-rules:inherited.customer'),
  },
});
