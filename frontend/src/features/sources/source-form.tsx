import { proofRequirement } from '@/domain/proof-rules';
import { defineForm } from '@/form/define-form';
import { text, toggle } from '@/form/kinds';
import { limits } from '@/form/limits';

/** What can be said of a source. */
export const sourceForm = defineForm({
  texts: 'sources',
  className: 'max-w-[560px]',
  fields: {
    name: text({ hint: 'edit.nameHint', maxLength: limits.shortName }),
    isActive: toggle({
      label: 'common:status.source.Active',
      hint: 'edit.activeHint',
      initially: true,
    }),
    podRequirement: proofRequirement('proof-rules:inherited.source'),
  },
});
