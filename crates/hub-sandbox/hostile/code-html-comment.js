// a comment that ends the wrapper
// ends: value 1
return 1; // })()
