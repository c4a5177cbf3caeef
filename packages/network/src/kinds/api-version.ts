/** The version of a call for the version itself whose caller names none: no answer but a node's own version would serve them. */
export const undecided = 'undecided'
