// The headless entry: the other one writes its styles into a style element, which the content
// security policy refuses. Both keep a store of their own, so only this one may be imported.
export { toast } from 'react-hot-toast/headless';
