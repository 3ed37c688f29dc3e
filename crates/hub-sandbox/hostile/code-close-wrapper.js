// closing the wrapper early
// ends: safe
return 1;
});
(async () => {
return 2;
